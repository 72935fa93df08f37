import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { MachineConfigurationCaches } from './inputs.ts'
import { machineConfigurationInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import { announce, report } from './report.ts'

export interface MachineConfigurationSettings {
  /** Receives the writes that the API server refuses. */
  readonly reports: TaskReports
}

/** Requeue interval after a rejected write: RBAC or admission policies may change. */
const requeueAfterMs = 60_000

/** Creates MachineConfiguration `cluster`, and sets the disruption policy in effect in its status. The key is its name. */
export function machineConfigurationController(
  context: ControllerContext,
  caches: MachineConfigurationCaches,
  { reports }: MachineConfigurationSettings,
): Controller {
  return stepController(context, {
    name: 'machine-configuration',
    inputs: machineConfigurationInputs(caches),
    outputs: [machineConfigurations.kind],
    gather: (_key, { clock }) => gather(caches, clock),
    decide,
    announce,
    act,
    report: (pass, step) => report(pass, reports, step),
    next: ({ result }) => (result.refusal === undefined ? settled : requeueAfter(requeueAfterMs)),
  })
}
