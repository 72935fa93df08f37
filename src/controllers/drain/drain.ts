import { Stalled } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { DrainCaches } from './inputs.ts'
import { drainInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { DrainPass } from './report.ts'
import { announce, report } from './report.ts'
import { drainMetrics as registerMetrics } from './drain-metrics.ts'
import { shortPauseMs } from './timing.ts'

/** Steps are short and wait only for responses, so many nodes can be drained at once. */
const workers = 50

/** Drains nodes whose daemons request it. Keys are node names; one reconcile is one step of a drain. */
export function drainController(context: ControllerContext, caches: DrainCaches): Controller {
  const drainMetrics = registerMetrics(context.metrics)
  return stepController(context, {
    name: 'drain',
    inputs: drainInputs(caches),
    outputs: ['Node', 'Pod', 'MachineConfigNode'],
    workers,
    gather: (node, step) => gather(node, caches, step),
    decide,
    announce: (plan, facts, step) => announce(plan, facts, { ...step, caches, drainMetrics }),
    act: (plan, facts, step) => act(plan, facts, { ...step, caches }),
    report: (pass, step) => report(pass, { ...step, caches, drainMetrics }),
    next,
    forget: (node) => drainMetrics.forget(node),
  })
}

function next({ key, plan, result }: DrainPass & { readonly type: 'acted' }): Outcome {
  switch (plan.next.action) {
    case 'nothing':
    case 'fail':
      return settled
    case 'reject':
      throw new Stalled('UnknownDrainRequest', `node ${key}: ${plan.why}`)
    case 'wait':
      // A change of the pool's turns triggers the next step before.
      return requeueAfter(shortPauseMs)
    case 'cordon':
      return requeueNow
    case 'evict':
      return requeueAfter(result.progress!.requeueAfterMs)
    case 'acknowledge':
      return result.acknowledged ? settled : requeueNow
  }
}

/** After a successful write and after a conflict the next reconcile reads the node again. */
const requeueNow = requeueAfter(0)
