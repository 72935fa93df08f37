import type { Condition } from '@machinist/core/objects/resource'
import {
  conditionOf,
  ownMachineConfigurationConditions,
  setCondition,
} from '../../api/conditions.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'
import { describeIneffectiveEntries } from '../../api/disruption-policy/without-effect.ts'
import type { MachineConfigurationStatus } from '../../api/kinds/machine-configuration.ts'
import { machineConfigurationReasons } from '../../api/reasons.ts'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'

/**
 * Pure: the status of a MachineConfiguration. An invalid policy leaves the policy in effect unchanged, and its generation counts
 * as observed, so that no daemon waits for it.
 */
export function statusFor(
  found: Readonly<MachineConfiguration>,
  now: string,
  delivery: CertificateDelivery = 'direct',
): MachineConfigurationStatus {
  const { metadata, spec, status = {} } = found
  const problem = policyProblem(found)
  const inEffect = status.nodeDisruptionPolicyStatus?.clusterPolicies ?? mergePolicies()
  const clusterPolicies = problem ? inEffect : mergePolicies(spec?.nodeDisruptionPolicy ?? {})
  const conditions = conditionsFor(found, reportsOn(found, delivery), now)
  return {
    ...status,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    nodeDisruptionPolicyStatus: { clusterPolicies },
    ...(conditions && { conditions: [...conditions] }),
  }
}

/** The problem of the user's policy, with its fields; undefined if it is valid. */
export function policyProblem({ spec }: Readonly<MachineConfiguration>): string | undefined {
  const problems = policyProblems(spec?.nodeDisruptionPolicy ?? {})
  if (problems.length === 0) return undefined
  const places = problems.map(({ path, message }) => `${placeOf(path)} ${message}`).join('; ')
  return `${places.slice(0, longest)}. Correct these fields; until then, the last valid policy stays in effect`
}

const longest = 4096
const placeOf = (path: string): string =>
  ['spec.nodeDisruptionPolicy', path].filter((part) => part !== '').join('.')

/** A condition about the user's policy. */
export interface PolicyReport {
  readonly type: string
  readonly reason: string
  /** Undefined if the condition is False. */
  readonly message: string | undefined
}

export function reportsOn(
  found: Readonly<MachineConfiguration>,
  delivery: CertificateDelivery,
): PolicyReport[] {
  const { policyInvalid, policyNoEffect } = ownMachineConfigurationConditions
  const { badPolicy, entriesWithoutEffect } = machineConfigurationReasons
  const problem = policyProblem(found)
  const policy = found.spec?.nodeDisruptionPolicy
  const ineffective =
    problem === undefined && policy ? describeIneffectiveEntries(policy, delivery) : undefined
  return [
    { type: policyInvalid, reason: badPolicy, message: problem },
    { type: policyNoEffect, reason: entriesWithoutEffect, message: ineffective },
  ]
}

/** A condition is set to False only if it was set before. */
function conditionsFor(
  { metadata, status }: Readonly<MachineConfiguration>,
  reports: readonly PolicyReport[],
  now: string,
): readonly Condition[] | undefined {
  const { asExpected } = machineConfigurationReasons
  let conditions: readonly Condition[] | undefined = status?.conditions
  for (const { type, reason, message } of reports) {
    if (message === undefined && !conditionOf(conditions, type)) continue
    const result =
      message === undefined
        ? { status: 'False' as const, reason: asExpected, message: '' }
        : { status: 'True' as const, reason, message }
    const seen = metadata.generation !== undefined && { observedGeneration: metadata.generation }
    conditions = setCondition(conditions, { type, ...result, ...seen }, now)
  }
  return conditions
}
