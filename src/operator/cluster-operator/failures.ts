import {
  conditionOf,
  controllerConfigConditions,
  inputOfDegraded,
  machineConfigurationConditions,
  ownMachineConfigurationConditions,
} from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfiguration } from '../../api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import type { Readiness } from './required-pools.ts'
import type { Failure } from './tasks.ts'
import { tasks } from './tasks.ts'

export interface FailureFacts {
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly machineConfiguration: Readonly<MachineConfiguration> | undefined
  readonly required: Readiness
  /** What no object tells. */
  readonly reported: readonly Failure[]
}

/** Every task that a person has to help, in the order of tasks: the first is the reason that is shown. */
export function failuresIn(facts: FailureFacts): Failure[] {
  const { controllerConfig, machineConfiguration, required, reported } = facts
  const inputs = badInputs(controllerConfig?.status?.conditions)
  const { failing } = controllerConfigConditions
  const templates = said(controllerConfig?.status?.conditions, [failing])
  const settings = said(machineConfiguration?.status?.conditions, [
    ownMachineConfigurationConditions.policyInvalid,
    machineConfigurationConditions.bootImageUpdateDegraded,
  ])
  const all: Failure[] = [
    ...inputs.map((message): Failure => ({ task: 'RenderConfig', message })),
    ...settings.map((message): Failure => ({ task: 'MachineConfiguration', message })),
    ...templates.map((message): Failure => ({ task: 'MachineConfigController', message })),
    ...(required.state === 'failed'
      ? [{ task: 'RequiredPools', message: required.message } as const]
      : []),
    ...reported,
  ]
  return tasks.flatMap((task) => all.filter((failure) => failure.task === task))
}

/** All in one: whoever mends one should know of the others. */
function badInputs(conditions: readonly Condition[] = []): string[] {
  const bad = conditions
    .filter(({ type, status }) => inputOfDegraded(type) !== undefined && status === 'True')
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, message }) => `input ${inputOfDegraded(type)}: ${message ?? ''}`)
  return bad.length > 0 ? [bad.join('; ')] : []
}

function said(conditions: readonly Condition[] | undefined, types: readonly string[]): string[] {
  return types.flatMap((type) => {
    const condition = conditionOf(conditions, type)
    return condition?.status === 'True' ? [condition.message ?? type] : []
  })
}
