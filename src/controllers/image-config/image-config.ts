import { Waiting } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { requeueAfterMs } from '../generated/requeue.ts'
import type { ImageConfigCaches } from './inputs.ts'
import { imageConfigInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { ImageConfigPass } from './report.ts'
import { report } from './report.ts'
import { FailingObjects } from './failing-objects.ts'
import { OverruledPolicies } from './overruled-policies.ts'

/**
 * Image, mirror sets and image policies → `99-<pool>-generated-registries` of the built-in pools; custom pools select the one
 * of the worker pool. The only key is the name of Image `cluster`.
 */
export function imageConfigController(
  context: ControllerContext,
  caches: ImageConfigCaches,
  { maker }: GeneratorSettings,
): Controller {
  const failing = new FailingObjects(context.metrics)
  const overruled = new OverruledPolicies()
  return stepController(context, {
    name: 'image-config',
    inputs: imageConfigInputs(caches),
    outputs: ['MachineConfig', 'MachineConfigPool', 'ImagePolicy'],
    gather: () => gather(caches, maker),
    decide,
    act,
    report: (pass, step) => report(pass, { ...step, failing, overruled }),
    next: (pass) => next(pass, overruled),
  })
}

function next(
  { facts, plan, result }: ImageConfigPass & { readonly type: 'acted' },
  { isRefused }: OverruledPolicies,
): Outcome {
  const [failure] = result.failures.values()
  if (failure !== undefined) throw failure
  const { waits } = plan
  if (waits.length > 0) throw new Waiting(reasons.noBase, waits.join('; '), requeueAfterMs)
  const rejected = [...result.leftovers, ...result.problems.values()]
  const isUnwatched =
    isRefused || facts.lost.length > 0 || rejected.some(({ why }) => why === 'refused')
  return isUnwatched ? requeueAfter(requeueAfterMs) : settled
}
