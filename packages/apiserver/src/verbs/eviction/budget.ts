import { isObject } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import type { LabelSelector, LabelSelectorSpec } from '@machinist/core/objects/selectors'
import { nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { ApiObject } from '../../kinds/kind-rules.ts'

export interface BudgetSpec {
  readonly selector?: LabelSelectorSpec
  readonly minAvailable?: number | string
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: string
}

/** The status of a PodDisruptionBudget. */
export interface BudgetStatus {
  readonly observedGeneration?: number
  /** Pods whose eviction was allowed, with the time; they count as gone. */
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly disruptionsAllowed: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  readonly conditions?: readonly Condition[]
}

export const specOfBudget = ({ spec }: ApiObject): BudgetSpec => (isObject(spec) ? spec : {})

export function statusOfBudget({ status }: ApiObject): BudgetStatus {
  const counted = isObject(status) ? status : {}
  return {
    ...counted,
    disruptionsAllowed: numberOf(counted['disruptionsAllowed']),
    currentHealthy: numberOf(counted['currentHealthy']),
    desiredHealthy: numberOf(counted['desiredHealthy']),
    expectedPods: numberOf(counted['expectedPods']),
  }
}

/** The pods of a budget. An invalid selector selects none. */
export function selectorOfBudget(budget: ApiObject): LabelSelector {
  try {
    return selectorFromSpec(specOfBudget(budget).selector, nothing)
  } catch {
    return nothing
  }
}

export function withStatus(budget: ApiObject, status: BudgetStatus): ApiObject {
  return { ...budget, status }
}

/** Sets a condition; its time changes only with its status. */
export function withBudgetCondition(
  conditions: readonly Condition[] = [],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type)
  const since = before?.status === condition.status ? before.lastTransitionTime : now
  const { type, status, observedGeneration, reason = '', message = '' } = condition
  const next: Condition = {
    type,
    status,
    ...(observedGeneration && { observedGeneration }),
    lastTransitionTime: since,
    reason,
    message,
  }
  if (!before) return [...conditions, next]
  return conditions.map((each) => (each === before ? next : each))
}

/** Sets the condition DisruptionAllowed. */
export function withDisruptionAllowed(status: BudgetStatus, now: string): BudgetStatus {
  const { disruptionsAllowed, observedGeneration, conditions } = status
  const enough = disruptionsAllowed > 0
  const condition = {
    type: disruptionAllowed,
    status: enough ? 'True' : 'False',
    observedGeneration,
    reason: enough ? 'SufficientPods' : 'InsufficientPods',
  } as const
  return { ...status, conditions: withBudgetCondition(conditions, condition, now) }
}

export const disruptionAllowed = 'DisruptionAllowed'

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
