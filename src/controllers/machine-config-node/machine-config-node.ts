import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { MachineConfigNodeCaches } from './inputs.ts'
import { machineConfigNodeInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'

/** Maintains the spec of one MachineConfigNode per Node. Keys are node names. */
export function machineConfigNodeController(
  context: ControllerContext,
  caches: MachineConfigNodeCaches,
): Controller {
  return stepController(context, {
    name: 'machine-config-node',
    inputs: machineConfigNodeInputs(caches),
    outputs: ['MachineConfigNode'],
    // A new cluster creates one per node at once.
    workers: 4,
    gather: (name, step) => gather(name, caches, step),
    decide,
    act,
  })
}
