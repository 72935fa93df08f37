import type { Node } from '@machinist/kube/kinds/core'
import { heartbeatMs } from './limits.ts'

/**
 * Whether somebody works under this name now. After a long shutdown Nodes say Ready until the control plane has noticed
 * that they are silent, so a heartbeat has to be there, too. One from the future counts: clocks may have jumped.
 */
export function isAlive({ status }: Readonly<Node>, now: number): boolean {
  const ready = status?.conditions?.find(isReady)
  if (ready?.status !== 'True') return false
  const heartbeat = Date.parse(ready.lastHeartbeatTime ?? '')
  return !(now - heartbeat > heartbeatMs)
}

const isReady = ({ type }: { readonly type: string }): boolean => type === 'Ready'
