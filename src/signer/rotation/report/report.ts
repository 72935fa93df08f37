import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { TrustRotationStatus } from '../../../api/kinds/trust-rotation.ts'
import type { RotationResult } from '../act/act.ts'
import type { ProceedPlan, RotationPlan } from '../decide/decide.ts'
import type { RotationFacts, RotationProblem } from '../facts/facts.ts'
import { conditionsOf, problemConditions } from './conditions.ts'
import type { RotationMetrics } from './rotation-metrics.ts'
import type { RotationStatusReporter } from './status-reporter.ts'
import { problemStatus, statusOf } from './status.ts'
import { emitWrite } from './write-events.ts'

export type RotationPass = Pass<RotationFacts, RotationPlan, RotationResult>

export interface RotationReportContext extends Pick<StepContext, 'events' | 'retries' | 'signal'> {
  readonly rotationMetrics: RotationMetrics
  readonly reporter: RotationStatusReporter
}

/** A failure after more retries than this is reported: a user may have to act. */
const unreportedRetries = 3

/** Events, metrics and the status. */
export async function report(pass: RotationPass, context: RotationReportContext): Promise<void> {
  // Only a bug: writes that fail are part of the result.
  if (pass.type === 'failed') return
  const { facts, plan, result } = pass
  const { reporter, rotationMetrics, signal } = context
  switch (plan.type) {
    case 'wait':
      return
    case 'invalid':
      rotationMetrics.forget(facts.object.metadata.name)
      return await reporter.report(facts.object, statusWith(plan.problem, facts), signal)
    case 'unreadable':
      return await reporter.report(facts.object, statusWith(plan.problem, facts), signal)
    case 'proceed':
      for (const write of result.written) emitWrite(write, plan.facts, context.events)
      rotationMetrics.report(plan.facts, plan.phase)
      return await reporter.report(facts.object, statusAfter(plan, result, context), signal)
  }
}

function statusWith(
  { reason, message }: RotationProblem,
  facts: RotationFacts,
): TrustRotationStatus {
  return problemStatus(facts.object, problemConditions(reason, message), facts.now)
}

function statusAfter(
  plan: ProceedPlan,
  { refusals, failure }: RotationResult,
  { retries }: RotationReportContext,
): TrustRotationStatus {
  const { facts } = plan
  const lasting = failure && retries >= unreportedRetries ? [failure.message] : []
  return statusOf(facts.object, facts, plan, conditionsOf(facts, plan, [...refusals, ...lasting]))
}
