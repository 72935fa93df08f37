import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { BudgetSpec, BudgetStatus } from '../../verbs/eviction/budget.ts'
import {
  disruptionAllowed,
  specOfBudget,
  statusOfBudget,
  withBudgetCondition,
  withDisruptionAllowed,
} from '../../verbs/eviction/budget.ts'
import { timestamp } from '../../verbs/verb-context.ts'
import { shareOf } from './share-of.ts'

/** What a budget needs to know of a pod that it selects. */
export interface CountedPod {
  readonly name: string
  readonly ready: boolean
  /** It was deleted and is on its way out. */
  readonly leaving: boolean
}

export interface Count {
  readonly status: BudgetStatus
  /** When to count again although nothing has changed: milliseconds since the epoch. */
  readonly again?: number
}

/** A pod whose eviction was allowed and that is still there after this time is not going to go. */
const deletionTimeoutMs = 2 * 60_000

/**
 * The status of a budget, given its pods. `scale` is how many pods there shall be according to those who control them;
 * it is asked for only where the budget is a share of that.
 */
export function countBudget(
  budget: ApiObject,
  pods: readonly CountedPod[],
  scale: () => number,
  now: number,
): Count {
  const before = statusOfBudget(budget)
  const { expectedPods, desiredHealthy } = wanted(specOfBudget(budget), pods.length, scale)
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
    // As long as nobody expects pods, the first ones to come shall be safe.
    disruptionsAllowed: expectedPods > 0 ? spare : 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions,
  }
  const counted = { status: withDisruptionAllowed(status, timestamp(now)) }
  if (leftBehind.length === 0) return counted
  const oldest = Math.min(...leftBehind.map(([, since]) => Date.parse(since)))
  return { ...counted, again: oldest + deletionTimeoutMs }
}

/** The status of a budget that cannot be counted: nothing may go until it can. */
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

interface Wanted {
  readonly expectedPods: number
  readonly desiredHealthy: number
}

function wanted(
  { minAvailable, maxUnavailable }: BudgetSpec,
  pods: number,
  scale: () => number,
): Wanted {
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

/** The pods that were promised to go and have not gone yet, as long as there is hope. */
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
