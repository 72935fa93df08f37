import { timestamp } from '@machinist/core/timestamp'
import type { Pod } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import { onOneLine, blockReason } from '../../fleet/drain/blockers.ts'
import { isTerminating, podName } from './pods-to-evict.ts'
import type { EvictionStep } from './decide.ts'
import { evictEveryMs, pauseAfter } from './timing.ts'

/** The result of one eviction or deletion. */
export type EvictionResult =
  | { readonly outcome: 'evicted' | 'gone' }
  | { readonly outcome: 'blocked' | 'busy' | 'refused'; readonly message: string }

/** The state of a drain after a step. */
export interface DrainProgress {
  /** Sorted by name, so that equal lists have equal texts. */
  readonly blockers: readonly DrainBlocker[]
  readonly requeueAfterMs: number
}

/** A busy kubelet may be a little late before its pod is reported. */
const lateMs = 30_000

/** Pure: the blockers after a step with their start, and the requeue time. */
export function progressAfter(
  step: EvictionStep,
  results: ReadonlyMap<string, EvictionResult>,
  budgetsOf: (pod: Readonly<Pod>) => readonly Readonly<PodDisruptionBudget>[],
  reported: readonly DrainBlocker[],
  now: number,
): DrainProgress {
  const before = new Map(reported.map((blocker) => [blocker.pod, blocker]))
  const blockers = step.remaining.flatMap((pod): DrainBlocker[] => {
    const name = podName(pod)
    if (isTerminating(pod)) return lateBlocker(pod, now)
    const known = before.get(name)
    const result = results.get(name)
    // Not evicted in this step, because the drain pauses or its time was up: the earlier report still counts.
    if (!result) return known ? [known] : []
    if (!('message' in result)) return []
    const since = known?.since ?? timestamp(now)
    const isBudget = result.outcome === 'blocked' || result.outcome === 'refused'
    const why = blockReason(isBudget ? budgetsOf(pod) : [], result.message)
    return [{ pod: name, why, since }]
  })
  return {
    blockers: blockers.sort((a, b) => (a.pod < b.pod ? -1 : 1)),
    requeueAfterMs: requeueAfterMs(step, results),
  }
}

function requeueAfterMs(step: EvictionStep, results: ReadonlyMap<string, EvictionResult>): number {
  if (step.pausing) return step.phaseEndsInMs
  const allRefused = step.remaining.every((pod) => results.get(podName(pod))?.outcome === 'refused')
  // An immediate retry cannot help, so the attempt has failed.
  if (allRefused) return pauseAfter(step.ageMs)
  return Math.min(evictEveryMs, step.phaseEndsInMs)
}

/** deletionTimestamp is when the pod should have stopped. */
function lateBlocker(pod: Readonly<Pod>, now: number): DrainBlocker[] {
  const { deletionTimestamp = '', finalizers = [] } = pod.metadata
  const due = Date.parse(deletionTimestamp)
  if (Number.isNaN(due) || now < due + lateMs) return []
  const why =
    finalizers.length > 0
      ? `should have stopped, but has the finalizers ${finalizers.join(', ')}`
      : 'should have stopped, but its kubelet has not confirmed it'
  return [{ pod: podName(pod), why: onOneLine(why), since: timestamp(due) }]
}
