import type { Condition } from '@machinist/core/objects/resource'
import {
  conditionOf,
  controllerConfigConditions,
  inputOfDegraded,
  machineConfigurationConditions,
  ownMachineConfigurationConditions,
} from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfiguration } from '../../api/kinds/resources.ts'
import type { Readiness } from './required-pools.ts'
import type { TaskFailure } from './tasks.ts'
import { tasks } from './tasks.ts'

export interface FailureFacts {
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly machineConfiguration: Readonly<MachineConfiguration> | undefined
  readonly required: Readiness
  /** Failures that no object reports. */
  readonly reported: readonly TaskFailure[]
}

/** Every task that needs a user to act, in the order of `tasks`: the first is the reported reason. */
export function failuresIn(facts: FailureFacts): TaskFailure[] {
  const { controllerConfig, machineConfiguration, required, reported } = facts
  const inputs = inputMessages(controllerConfig?.status?.conditions)
  const { failing } = controllerConfigConditions
  const templates = messagesOf(controllerConfig?.status?.conditions, [failing])
  const settings = messagesOf(machineConfiguration?.status?.conditions, [
    ownMachineConfigurationConditions.policyInvalid,
    machineConfigurationConditions.bootImageUpdateDegraded,
  ])
  const all: TaskFailure[] = [
    ...inputs.map((message): TaskFailure => ({ task: 'RenderConfig', message })),
    ...settings.map((message): TaskFailure => ({ task: 'MachineConfiguration', message })),
    ...templates.map((message): TaskFailure => ({ task: 'MachineConfigController', message })),
    ...(required.state === 'failed'
      ? [{ task: 'RequiredPools', message: required.message } as const]
      : []),
    ...reported,
  ]
  return tasks.flatMap((task) => all.filter((failure) => failure.task === task))
}

/** All invalid inputs in one message, so that a user sees all of them. */
function inputMessages(conditions: readonly Condition[] = []): string[] {
  const invalid = conditions
    .filter(({ type, status }) => inputOfDegraded(type) !== undefined && status === 'True')
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, message }) => `input ${inputOfDegraded(type)}: ${message ?? ''}`)
  return invalid.length > 0 ? [invalid.join('; ')] : []
}

function messagesOf(
  conditions: readonly Condition[] | undefined,
  types: readonly string[],
): string[] {
  return types.flatMap((type) => {
    const condition = conditionOf(conditions, type)
    return condition?.status === 'True' ? [condition.message ?? type] : []
  })
}
