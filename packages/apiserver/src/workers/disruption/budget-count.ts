import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { BudgetSpec, BudgetStatus } from '../../verbs/eviction/budget.ts'
import {
  disruptionAllowed,
  specOfBudget,
  statusOfBudget,
  withBudgetCondition,
  withDisruptionAllowed,
} from '../../verbs/eviction/budget.ts'
import { shareOf } from './share-of.ts'

/** The state of a pod that a budget counts. */
export interface CountedPod {
  readonly name: string
  readonly ready: boolean
  /** It has a deletionTimestamp. */
  readonly leaving: boolean
}

export interface BudgetCount {
  readonly status: BudgetStatus
  /** When to count again without a change: milliseconds since the epoch. */
  readonly recountAt?: number
}

/** A pod whose eviction was allowed counts again if it is not deleted by then. */
const deletionTimeoutMs = 2 * 60_000

/**
 * The status of a budget. `scale` returns the number of pods that their controllers expect; it is called only for
 * percentages and maxUnavailable.
 */
export function countBudget(
  budget: ApiObject,
  pods: readonly CountedPod[],
  scale: () => number,
  now: number,
): BudgetCount {
  const before = statusOfBudget(budget)
  const { expectedPods, desiredHealthy } = expectedHealth(specOfBudget(budget), pods.length, scale)
  const leftBehind = stillDisrupted(before.disruptedPods ?? {}, pods, now)
  const disruptedPods = Object.fromEntries(leftBehind)
  const currentHealthy = pods.filter(
    ({ name, ready, leaving }) => ready && !leaving && !Object.hasOwn(disruptedPods, name),
  ).length
  const spare = Math.max(currentHealthy - desiredHealthy, 0)
  const { conditions } = before
  const status: BudgetStatus = {
    observedGeneration: budget.metadata.generation,
    ...(leftBehind.length > 0 && { disruptedPods }),
    // Without expected pods no disruption is allowed, so that the first pods are protected.
    disruptionsAllowed: expectedPods > 0 ? spare : 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions,
  }
  const counted = { status: withDisruptionAllowed(status, timestamp(now)) }
  if (leftBehind.length === 0) return counted
  const oldest = Math.min(...leftBehind.map(([, since]) => Date.parse(since)))
  return { ...counted, recountAt: oldest + deletionTimeoutMs }
}

/** The status of a budget that cannot be counted: it allows no disruption. */
export function uncounted(budget: ApiObject, why: string, now: number): BudgetStatus {
  const status = statusOfBudget(budget)
  const condition = {
    type: disruptionAllowed,
    status: 'False',
    observedGeneration: status.observedGeneration,
    reason: 'SyncFailed',
    message: why,
  } as const
  const conditions = withBudgetCondition(status.conditions, condition, timestamp(now))
  return { ...status, disruptionsAllowed: 0, conditions }
}

interface ExpectedHealth {
  readonly expectedPods: number
  readonly desiredHealthy: number
}

function expectedHealth(
  { minAvailable, maxUnavailable }: BudgetSpec,
  pods: number,
  scale: () => number,
): ExpectedHealth {
  if (maxUnavailable !== undefined) {
    const expectedPods = scale()
    const desiredHealthy = Math.max(expectedPods - shareOf(maxUnavailable, expectedPods), 0)
    return { expectedPods, desiredHealthy }
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods, desiredHealthy: minAvailable }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  const expectedPods = scale()
  return { expectedPods, desiredHealthy: shareOf(minAvailable, expectedPods) }
}

/** Pods whose eviction was allowed and that still exist, until the timeout. */
function stillDisrupted(
  disrupted: Readonly<Record<string, string>>,
  pods: readonly CountedPod[],
  now: number,
): [string, string][] {
  return pods.flatMap(({ name, leaving }) => {
    const since = Object.hasOwn(disrupted, name) ? disrupted[name]! : ''
    const isRecent = Date.parse(since) + deletionTimeoutMs > now
    return isRecent && !leaving ? [[name, since] as [string, string]] : []
  })
}
