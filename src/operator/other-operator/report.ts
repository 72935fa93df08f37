import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { operatorEvents } from '../../api/reasons.ts'
import type { OtherOperatorPlan } from './decide.ts'
import type { OtherOperatorFacts } from './facts.ts'
import type { OtherOperatorMetrics } from './other-operator-metrics.ts'

/** The last reported state, so that an unchanged one is not reported again. */
export class LastReport {
  #message: string | undefined

  /** Whether it differs from the last one; `undefined` if no other operator runs the cluster. */
  isNew(message: string | undefined): boolean {
    if (message === this.#message) return false
    this.#message = message
    return true
  }
}

export interface OtherOperatorReportContext extends StepContext {
  readonly lastReport: LastReport
  readonly otherOperatorMetrics: OtherOperatorMetrics
}

/** A metric and, when the state changes, a log line and an event. */
export function report(
  { plan }: Pass<OtherOperatorFacts, OtherOperatorPlan>,
  { events, log, lastReport, otherOperatorMetrics: metrics }: OtherOperatorReportContext,
): void {
  metrics.held.set({}, plan.type === 'other' ? 1 : 0)
  if (!lastReport.isNew(plan.type === 'other' ? plan.message : undefined)) return
  if (plan.type === 'own') {
    log.info('no other operator writes the ControllerConfig')
    return
  }
  const { build, controllerConfig, message } = plan
  log.info('leave the cluster to another operator', { build })
  events.warning(
    referenceTo(controllerConfigs, controllerConfig),
    operatorEvents.otherOperator,
    message,
  )
}
