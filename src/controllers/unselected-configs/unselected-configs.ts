import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { UnselectedConfigsCaches } from './inputs.ts'
import { unselectedConfigsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import type { UnselectedConfig } from './facts.ts'
import { decide } from './decide.ts'
import { report } from './report.ts'

/** Emits events for MachineConfigs that no pool selects, because they have no status. Keys are MachineConfig names. */
export function unselectedConfigsController(
  context: ControllerContext,
  caches: UnselectedConfigsCaches,
): Controller {
  const known = new Map<string, UnselectedConfig>()
  return stepController(context, {
    name: 'unselected-configs',
    inputs: unselectedConfigsInputs(caches),
    outputs: [],
    gather: (name, { clock }) => gather(name, caches, known, clock),
    decide,
    report: (pass, step) => report(pass, step, known),
    next: ({ plan }) => (plan.type === 'wait' ? requeueAfter(plan.ms) : settled),
    forget: (name) => known.delete(name),
  })
}
