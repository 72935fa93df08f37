import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { machineConfigs } from '../../api/kinds/resources.ts'
import { machineConfigEvents } from '../../api/reasons.ts'
import type { UnselectedConfigsPlan } from './decide.ts'
import type { UnselectedConfig, UnselectedConfigsFacts } from './facts.ts'

/** One event for the contents of a MachineConfig. */
export function report(
  { key, facts, plan }: Pass<UnselectedConfigsFacts, UnselectedConfigsPlan>,
  { events }: Pick<StepContext, 'events'>,
  known: Map<string, UnselectedConfig>,
): void {
  if (plan.type === 'selected') {
    known.delete(key)
    return
  }
  known.set(key, plan.unselected)
  if (plan.type !== 'emit') return
  const about = referenceTo(machineConfigs, facts.machineConfig)
  events.warning(about, machineConfigEvents.notSelected, plan.why)
}
