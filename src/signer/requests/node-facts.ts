import type { Node } from '../../kube/kinds/core.ts'
import { heartbeatMs } from './limits.ts'

/** Keeps of a Node who it is, where it is, and whether it lives. */
export function slimNode({ apiVersion, kind, metadata, status }: Node): Node {
  const { name, uid, resourceVersion, creationTimestamp } = metadata
  const { addresses, conditions } = status ?? {}
  const ready = conditions?.find(isReady)
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    status: { ...(addresses && { addresses }), ...(ready && { conditions: [ready] }) },
  }
}

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
