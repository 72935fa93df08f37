import { sameJson } from '@machinist/core/encoding/json'
import { conditionOf } from '../../api/conditions.ts'
import type { MachineConfigurationFacts } from './facts.ts'
import { reportsOn, statusFor } from './status.ts'

/** A problem of the user's policy. */
export interface PolicyProblem {
  readonly reason: string
  readonly message: string
}

export interface MachineConfigurationPlan {
  readonly action: 'create' | 'setStatus' | 'none'
  /** The problems that the conditions do not contain yet. */
  readonly newProblems: readonly PolicyProblem[]
}

/** Pure: whether to create the object, or to set its status. */
export function decide(facts: MachineConfigurationFacts): MachineConfigurationPlan {
  const { found, now, delivery } = facts
  if (!found) return { action: 'create', newProblems: [] }
  const isCurrent =
    found.metadata.deletionTimestamp !== undefined ||
    sameJson(statusFor(found, now, delivery), found.status)
  return { action: isCurrent ? 'none' : 'setStatus', newProblems: newProblemsOf(facts) }
}

function newProblemsOf({ found, delivery }: MachineConfigurationFacts): PolicyProblem[] {
  if (!found) return []
  return reportsOn(found, delivery).flatMap(({ type, reason, message }) => {
    const reported = conditionOf(found.status?.conditions, type)
    return message === undefined || reported?.message === message ? [] : [{ reason, message }]
  })
}
