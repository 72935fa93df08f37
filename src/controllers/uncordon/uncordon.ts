import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { drainMetrics as registerMetrics } from '../drain/drain-metrics.ts'
import type { UncordonCaches } from './inputs.ts'
import { uncordonInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { UncordonPass } from './report.ts'
import { announce, report } from './report.ts'

const workers = 10

/**
 * Uncordons nodes whose daemons request it. Keys are node names. A separate controller, so that an uncordon never waits behind a
 * drain.
 */
export function uncordonController(context: ControllerContext, caches: UncordonCaches): Controller {
  const drainMetrics = registerMetrics(context.metrics)
  return stepController(context, {
    name: 'uncordon',
    inputs: uncordonInputs(caches),
    outputs: ['Node', 'MachineConfigNode'],
    workers,
    gather: (node, step) => gather(node, caches, step),
    decide,
    announce: (plan, facts, step) => announce(plan, facts, { ...step, caches, drainMetrics }),
    act,
    report: (pass, step) => report(pass, { ...step, caches, drainMetrics }),
    next,
  })
}

/** After a successful write and after a conflict the next reconcile reads the node again. */
function next({ plan, result }: UncordonPass & { readonly type: 'acted' }): Outcome {
  const isFinished = plan.next.action === 'nothing' || result.acknowledged
  return isFinished ? settled : requeueAfter(0)
}
