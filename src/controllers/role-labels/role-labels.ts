import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { RoleLabelsCaches } from './inputs.ts'
import { roleLabelsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import { report } from './report.ts'

/** Labels machines that joined without role labels, so that their pools select them. Keys are node names. */
export function roleLabelsController(
  context: ControllerContext,
  caches: RoleLabelsCaches,
): Controller {
  return stepController(context, {
    name: 'role-labels',
    inputs: roleLabelsInputs(caches),
    outputs: ['Node'],
    gather: (name) => gather(name, caches),
    decide,
    act,
    report,
  })
}
