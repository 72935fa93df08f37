import { timestamp } from '@machinist/core/timestamp'
import type { Node } from './kinds/core.ts'

/** What tells whether a node is likely to answer. */
export interface NodeFacts {
  /** When it joined, in milliseconds since the epoch. */
  readonly created: number
  /** Since when it is not ready, if it is not; 0 if it does not say since when. */
  readonly notReadySince?: number
}

export function factsOfNode({ metadata, status }: Readonly<Node>): NodeFacts {
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return { created }
  return { created, notReadySince: Date.parse(ready?.lastTransitionTime ?? '') || 0 }
}

/** `NotReady since 2026-11-16T14:02:00Z`. */
export function notReadyText(since: number): string {
  return since === 0 ? 'NotReady' : `NotReady since ${timestamp(since)}`
}
