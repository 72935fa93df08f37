import { drainVerbs, nodeAnnotations } from '../../api/annotations.ts'
import type { NodeView } from './facts.ts'

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

/** The drain controller has not done yet what was asked for. */
export const isPending = ({ desired, lastApplied }: DrainState): boolean =>
  desired !== '' && desired !== lastApplied

export const asksForDrain = ({ desired }: DrainState): boolean =>
  desired.startsWith(`${drainVerbs.drain}-`)

/** How long to wait before saying that something is wrong; the wait itself goes on. */
export const patienceMs = { drain: 60 * 60_000, uncordon: 10 * 60_000 } as const
