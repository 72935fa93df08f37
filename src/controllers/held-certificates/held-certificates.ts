import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { HeldCertificatesCaches } from './inputs.ts'
import { heldCertificatesInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { report } from './report.ts'

/** Reports certificates that a paused pool does not deliver to its nodes, and when the old ones expire. Keys are pool names. */
export function heldCertificatesController(
  context: ControllerContext,
  caches: HeldCertificatesCaches,
): Controller {
  const until = context.metrics.gauge({
    name: 'machine_config_controller_paused_pool_kubelet_ca',
    help: 'Expiry of the kubelet CA that a paused pool does not renew, in seconds since the epoch; 0 if none is held.',
    labels: ['pool'],
  })
  return stepController(context, {
    name: 'held-certificates',
    inputs: heldCertificatesInputs(caches),
    outputs: ['MachineConfigPool'],
    gather: (pool, { clock }) => gather(pool, caches, clock),
    decide,
    report: (pass, step) => report(pass, step, until),
    next: ({ plan: { requeueAfterMs } }) =>
      requeueAfterMs === undefined ? settled : requeueAfter(requeueAfterMs),
    forget: (pool) => until.forget({ pool }),
  })
}
