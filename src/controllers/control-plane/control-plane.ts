import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { ControlPlaneCaches } from './inputs.ts'
import { controlPlaneInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'

/** Maintains labels and taints of control plane nodes. Keys are node names. */
export function controlPlaneController(
  context: ControllerContext,
  caches: ControlPlaneCaches,
): Controller {
  return stepController(context, {
    name: 'control-plane',
    inputs: controlPlaneInputs(caches),
    outputs: ['Node'],
    gather: (name) => gather(name, caches),
    decide,
    act,
  })
}
