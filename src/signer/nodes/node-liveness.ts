import type { Node } from '@machinist/kube/kinds/core'

/** Kubelets update an unchanged status every five minutes. */
const heartbeatTimeoutMs = 10 * 60_000

/**
 * Whether a kubelet runs under this name now. After a long shutdown, Nodes stay Ready until the control plane notices missing
 * heartbeats, so a recent heartbeat is required, too. A heartbeat in the future counts, because clocks may jump.
 */
export function isAlive({ status }: Readonly<Node>, now: number): boolean {
  const ready = status?.conditions?.find(isReady)
  if (ready?.status !== 'True') return false
  const heartbeat = Date.parse(ready.lastHeartbeatTime ?? '')
  return !(now - heartbeat > heartbeatTimeoutMs)
}

const isReady = ({ type }: { readonly type: string }): boolean => type === 'Ready'
