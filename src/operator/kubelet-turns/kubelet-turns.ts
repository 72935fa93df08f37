import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain, stepController } from '@machinist/kube/controller/step-controller'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { KubeletTurnsCaches } from './inputs.ts'
import { kubeletTurnsInputs } from './inputs.ts'
import type { KubeletTurnsSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { KubeletTurnsPass } from './report.ts'
import { announce, report } from './report.ts'
import { GrantedTurns } from './granted-turns.ts'
import { LostTurns } from './lost-turns.ts'
import { turnMetrics } from './turn-metrics.ts'

/** Grants nodes turns to restart the kubelet, on their NodeTrusts, which the credentials of a node can read and write. */
export function kubeletTurnsController(
  context: ControllerContext,
  caches: KubeletTurnsCaches,
): Controller {
  const { clock } = context
  const metrics = turnMetrics(context.metrics)
  const sources: KubeletTurnsSources = {
    caches,
    grantedTurns: new GrantedTurns(clock),
    lostTurns: new LostTurns(clock),
  }
  return stepController(context, {
    name: 'kubelet-turns',
    inputs: kubeletTurnsInputs(caches),
    outputs: ['NodeTrust', 'Event'],
    gather: () => gather(sources),
    decide,
    announce: (plan) => announce(plan, metrics),
    act: (plan, _facts, step) => act(plan, { ...sources, ...step }),
    report: (pass, step) => report(pass, { ...sources, ...step, turnMetrics: metrics }),
    next,
  })
}

function next({ plan, result }: KubeletTurnsPass & { readonly type: 'acted' }): PassOutcome {
  const { stopped } = result
  if (stopped?.type === 'failed') throw stopped.failure
  // Some changes are not relevant and still cause a conflict, such as a new owner of a NodeTrust.
  if (stopped?.type === 'conflict') return requeueAfter(catchUpMs)
  if (plan.steps.length > 0) return decideAgain
  return plan.requeueAfterMs === undefined ? settled : requeueAfter(plan.requeueAfterMs)
}
