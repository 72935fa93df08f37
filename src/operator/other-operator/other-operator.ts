import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { OtherOperatorCaches } from './inputs.ts'
import { otherOperatorInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { LastReport, report } from './report.ts'
import { otherOperatorMetrics } from './other-operator-metrics.ts'

/** Reports that the cluster is left to another operator: in an event, the log and a metric, not on objects of that operator. */
export function otherOperatorController(
  context: ControllerContext,
  caches: OtherOperatorCaches,
): Controller {
  const lastReport = new LastReport()
  const metrics = otherOperatorMetrics(context.metrics)
  return stepController(context, {
    name: 'other-operator',
    inputs: otherOperatorInputs(caches),
    outputs: ['Event'],
    gather: (key) => gather(key, caches),
    decide,
    report: (pass, step) => report(pass, { ...step, lastReport, otherOperatorMetrics: metrics }),
  })
}
