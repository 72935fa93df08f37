import { drainVerbs, nodeAnnotations } from '../../../api/annotations.ts'
import type { NodeView } from '../../node/node-view.ts'

export const drainValue = (config: string): string => `${drainVerbs.drain}-${config}`
export const uncordonValue = (config: string): string => `${drainVerbs.uncordon}-${config}`

export interface DrainState {
  readonly desired: string
  readonly lastApplied: string
}

export function drainStateOf({ annotations }: NodeView): DrainState {
  return {
    desired: annotations[nodeAnnotations.desiredDrain] ?? '',
    lastApplied: annotations[nodeAnnotations.lastAppliedDrain] ?? '',
  }
}

/** The drain controller has not completed the last request yet. */
export const isDrainPending = ({ desired, lastApplied }: DrainState): boolean =>
  desired !== '' && desired !== lastApplied

export const requestsDrain = ({ desired }: DrainState): boolean =>
  desired.startsWith(`${drainVerbs.drain}-`)

/** After this time the node is reported as Degraded; the daemon keeps waiting. */
export const drainTimeoutMs = { drain: 60 * 60_000, uncordon: 10 * 60_000 } as const
