import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { names } from '../../api/names.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { MachineConfigurationResult } from './act.ts'
import type { MachineConfigurationPlan } from './decide.ts'
import type { MachineConfigurationFacts } from './facts.ts'

export type MachineConfigurationPass = Pass<
  MachineConfigurationFacts,
  MachineConfigurationPlan,
  MachineConfigurationResult
>

/** Emits events for new problems before the conditions contain them: a restart in between loses no event. */
export function announce(
  { newProblems }: MachineConfigurationPlan,
  { found }: MachineConfigurationFacts,
  { events }: StepContext,
): void {
  if (!found) return
  const about = referenceTo(machineConfigurations, found)
  for (const { reason, message } of newProblems) events.warning(about, reason, message)
}

/** Reports a rejected write to the ClusterOperator, and in the log. */
export function report(
  pass: MachineConfigurationPass,
  reports: TaskReports,
  { log }: StepContext,
): void {
  const { machineConfiguration: name } = names
  // It is unknown whether the API server refuses the write: the retry reports that.
  if (pass.type === 'failed') return
  const { refusal } = pass.result
  if (refusal === undefined) reports.done('MachineConfiguration', name)
  else if (reports.failed('MachineConfiguration', name, refusal)) {
    log.info('cannot write the MachineConfiguration', { why: refusal })
  }
}
