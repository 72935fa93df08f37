import { timestamp } from '@machinist/core/timestamp'
import type { Pod } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import type { Blocker } from '../../fleet/drain/blockers.ts'
import { onOneLine, whyBlocked } from '../../fleet/drain/blockers.ts'
import { isLeaving, podName } from './departures.ts'
import type { Move } from './facts.ts'
import { evictEveryMs, restAfter } from './timing.ts'

/** What became of asking one pod to leave. */
export type Asked =
  | { readonly outcome: 'evicted' | 'gone' }
  | { readonly outcome: 'blocked' | 'busy' | 'refused'; readonly message: string }

/** What one step has brought. */
export interface Progress {
  /** In the order of their names, so that equal ones look equal. */
  readonly blockers: readonly Blocker[]
  readonly lookAgainMs: number
}

/** A kubelet that is busy may be a little late without being worth a word. */
const lateMs = 30_000

/** Pure: who is in the way after a step, since when, and when to look again. */
export function progressAfter(
  move: Move,
  asked: ReadonlyMap<string, Asked>,
  budgetsOf: (pod: Readonly<Pod>) => readonly Readonly<PodDisruptionBudget>[],
  told: readonly Blocker[],
  now: number,
): Progress {
  const before = new Map(told.map((blocker) => [blocker.pod, blocker]))
  const blockers = move.remaining.flatMap((pod): Blocker[] => {
    const name = podName(pod)
    if (isLeaving(pod)) return lateBlocker(pod, now)
    const known = before.get(name)
    const answer = asked.get(name)
    // Not asked in this step, since the drain rests or its time was up: what was said of it still counts.
    if (!answer) return known ? [known] : []
    if (!('message' in answer)) return []
    const since = known?.since ?? timestamp(now)
    const isBudget = answer.outcome === 'blocked' || answer.outcome === 'refused'
    const why = whyBlocked(isBudget ? budgetsOf(pod) : [], answer.message)
    return [{ pod: name, why, since }]
  })
  return {
    blockers: blockers.sort((a, b) => (a.pod < b.pod ? -1 : 1)),
    lookAgainMs: lookAgainMs(move, asked),
  }
}

function lookAgainMs(move: Move, asked: ReadonlyMap<string, Asked>): number {
  if (move.resting) return move.turnsInMs
  const hopeless = move.remaining.every((pod) => asked.get(podName(pod))?.outcome === 'refused')
  // Asking again at once cannot help, so the attempt has failed already.
  if (hopeless) return restAfter(move.ageMs)
  return Math.min(evictEveryMs, move.turnsInMs)
}

/** The time of its deletion is when it should have been gone. */
function lateBlocker(pod: Readonly<Pod>, now: number): Blocker[] {
  const { deletionTimestamp = '', finalizers = [] } = pod.metadata
  const due = Date.parse(deletionTimestamp)
  if (Number.isNaN(due) || now < due + lateMs) return []
  const why =
    finalizers.length > 0
      ? `should have ended, but is held by the finalizers ${finalizers.join(', ')}`
      : 'should have ended, but its kubelet has not confirmed it'
  return [{ pod: podName(pod), why: onOneLine(why), since: timestamp(due) }]
}
