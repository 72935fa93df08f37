import {
  conditionOf,
  ownMachineConfigurationConditions,
  setCondition,
} from '../../api/conditions.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'
import { withoutEffect } from '../../api/disruption-policy/without-effect.ts'
import type { MachineConfigurationStatus } from '../../api/kinds/machine-configuration.ts'
import { machineConfigurationReasons } from '../../api/reasons.ts'
import type { MachineConfiguration } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { Condition } from '@machinist/core/resource'

/**
 * Pure: the status that a MachineConfiguration should have. A policy that cannot be used leaves the one in force as it is,
 * and counts as looked at: whoever waits for this generation need not wait any longer.
 */
export function statusFor(
  found: Readonly<MachineConfiguration>,
  now: string,
  delivery: CertificateDelivery = 'direct',
): MachineConfigurationStatus {
  const { metadata, spec, status = {} } = found
  const problem = policyProblem(found)
  const inForce = status.nodeDisruptionPolicyStatus?.clusterPolicies ?? mergePolicies()
  const clusterPolicies = problem ? inForce : mergePolicies(spec?.nodeDisruptionPolicy ?? {})
  const conditions = conditionsFor(found, reportsOn(found, delivery), now)
  return {
    ...status,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    nodeDisruptionPolicyStatus: { clusterPolicies },
    ...(conditions && { conditions: [...conditions] }),
  }
}

/** What is wrong with the user's policy and where, or undefined. */
export function policyProblem({ spec }: Readonly<MachineConfiguration>): string | undefined {
  const problems = policyProblems(spec?.nodeDisruptionPolicy ?? {})
  if (problems.length === 0) return undefined
  const places = problems.map(({ path, message }) => `${placeOf(path)} ${message}`).join('; ')
  return `${places.slice(0, longest)}. Until this is mended the last good policy stays in force`
}

const longest = 4096
const placeOf = (path: string): string =>
  ['spec.nodeDisruptionPolicy', path].filter((part) => part !== '').join('.')

/** What is to be said about a user's policy; undefined where nothing is wrong. */
export interface PolicyReport {
  readonly type: string
  readonly reason: string
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
  const idle = problem === undefined && policy ? withoutEffect(policy, delivery) : undefined
  return [
    { type: policyInvalid, reason: badPolicy, message: problem },
    { type: policyNoEffect, reason: entriesWithoutEffect, message: idle },
  ]
}

/** Only those who were told that something is wrong are told that it is right again. */
function conditionsFor(
  { metadata, status }: Readonly<MachineConfiguration>,
  reports: readonly PolicyReport[],
  now: string,
): readonly Condition[] | undefined {
  const { asExpected } = machineConfigurationReasons
  let conditions: readonly Condition[] | undefined = status?.conditions
  for (const { type, reason, message } of reports) {
    if (message === undefined && !conditionOf(conditions, type)) continue
    const verdict =
      message === undefined
        ? { status: 'False' as const, reason: asExpected, message: '' }
        : { status: 'True' as const, reason, message }
    const seen = metadata.generation !== undefined && { observedGeneration: metadata.generation }
    conditions = setCondition(conditions, { type, ...verdict, ...seen }, now)
  }
  return conditions
}
