import {
  conditionOf,
  ownMachineConfigurationConditions,
  setCondition,
} from '../../api/conditions.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'
import type { MachineConfigurationStatus } from '../../api/kinds/machine-configuration.ts'
import { machineConfigurationReasons } from '../../api/reasons.ts'
import type { MachineConfiguration } from '../../api/resources.ts'
import type { Condition } from '../../base/resource.ts'

/**
 * Pure: the status that a MachineConfiguration should have. A policy that cannot be used leaves the one in force as it is,
 * and counts as looked at: whoever waits for this generation need not wait any longer.
 */
export function statusFor(
  found: Readonly<MachineConfiguration>,
  now: string,
): MachineConfigurationStatus {
  const { metadata, spec, status = {} } = found
  const problem = policyProblem(found)
  const inForce = status.nodeDisruptionPolicyStatus?.clusterPolicies ?? mergePolicies()
  const clusterPolicies = problem ? inForce : mergePolicies(spec?.nodeDisruptionPolicy ?? {})
  const conditions = conditionsFor(found, problem, now)
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

/** Only those who were told that something is wrong are told that it is right again. */
function conditionsFor(
  { metadata, status }: Readonly<MachineConfiguration>,
  problem: string | undefined,
  now: string,
): readonly Condition[] | undefined {
  const type = ownMachineConfigurationConditions.policyInvalid
  const { asExpected, badPolicy } = machineConfigurationReasons
  if (!problem && !conditionOf(status?.conditions, type)) return status?.conditions
  const report = {
    type,
    ...(problem
      ? { status: 'True' as const, reason: badPolicy, message: problem }
      : { status: 'False' as const, reason: asExpected, message: '' }),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  }
  return setCondition(status?.conditions, report, now)
}
