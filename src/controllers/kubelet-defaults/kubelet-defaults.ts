import { Waiting } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { requeueAfterMs } from '../generated/requeue.ts'
import type { KubeletDefaultsCaches } from './inputs.ts'
import { kubeletDefaultsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { KubeletDefaultsPass } from './report.ts'
import { report } from './report.ts'

/** Cluster-wide kubelet settings → `97-` and `98-<pool>-generated-kubelet`. Keys are pool names. */
export function kubeletDefaultsController(
  context: ControllerContext,
  caches: KubeletDefaultsCaches,
  { maker }: GeneratorSettings,
): Controller {
  return stepController(context, {
    name: 'kubelet-defaults',
    inputs: kubeletDefaultsInputs(caches),
    outputs: ['MachineConfig', 'MachineConfigPool'],
    gather: (name) => gather(name, caches, maker),
    decide,
    act,
    report,
    next,
  })
}

function next({
  plan,
  result: refused,
}: KubeletDefaultsPass & { readonly type: 'acted' }): Outcome {
  if (plan.type === 'wait') {
    throw new Waiting(clusterSettingsReasons.noBase, `waits for ${plan.waitsFor}`, requeueAfterMs)
  }
  const isUnwatched = plan.isUnwatched || refused.some(({ why }) => why === 'refused')
  return isUnwatched ? requeueAfter(requeueAfterMs) : settled
}
