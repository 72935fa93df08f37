import { timestamp } from '@machinist/core/timestamp'
import type { Node } from '../kinds/core.ts'

/** Facts that show whether the daemon of a Node is likely to respond. */
export interface NodeFacts {
  /** Creation time of the Node, in milliseconds since the epoch. */
  readonly created: number
  /** Time at which the Node became not ready; 0 if unknown; undefined if it is ready. */
  readonly notReadySince?: number
}

export function nodeFacts({ metadata, status }: Readonly<Node>): NodeFacts {
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return { created }
  return { created, notReadySince: Date.parse(ready?.lastTransitionTime ?? '') || 0 }
}

/** `NotReady since 2026-11-16T14:02:00Z`. */
export function notReadyText(since: number): string {
  return since === 0 ? 'NotReady' : `NotReady since ${timestamp(since)}`
}
