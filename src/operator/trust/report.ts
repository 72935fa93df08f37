import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { names } from '../../api/names.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { InputReporter } from '../inputs/report-inputs.ts'
import type { TrustResult } from './act.ts'
import type { TrustPlan } from './decide.ts'
import type { TrustFacts } from './facts/facts.ts'
import { toTransient, unfinished } from './failures.ts'
import type { TrustReport } from './reports.ts'
import type { TrustMetrics } from './trust-metrics.ts'

export type TrustPass = Pass<TrustFacts, TrustPlan, TrustResult>
export type ActedTrustPass = TrustPass & { readonly type: 'acted' }

/** The reason of the event for an input that a user removed on purpose. */
const removedReason = 'InputRemoved'

/** Metrics, before the writes, which may take long. */
export function announce({ reports }: TrustPlan, metrics: TrustMetrics): void {
  metrics.update(reports)
}

/** Reports every input: events, and conditions of the ControllerConfig. */
export async function report(
  pass: TrustPass,
  reporter: InputReporter,
  step: StepContext,
): Promise<void> {
  const { facts, plan } = pass
  if (plan.type === 'kubeconfigDataFirst') return
  const { controllerConfig, isWritten } = pass.type === 'acted' ? pass.result : notWritten(facts)
  if (!controllerConfig) return
  if (isWritten) for (const each of plan.reports) emitRemoved(step.events, controllerConfig, each)
  try {
    await reporter.report(controllerConfig, plan.reports, step)
  } catch (error) {
    // `next` throws the first failure.
    if (pass.type === 'acted' && failuresOf(pass).length > 0) return
    const what = `the status of ControllerConfig ${names.controllerConfig}`
    throw unfinished(toTransient(what, error), plan.requeueAfterMs)
  }
}

const notWritten = ({ controllerConfig }: TrustFacts): Omit<TrustResult, 'failures'> => ({
  controllerConfig,
  isWritten: false,
})

/** In the order in which they occurred. */
export const failuresOf = ({ facts, result }: ActedTrustPass): unknown[] => [
  ...facts.readFailures,
  ...result.failures,
]

function emitRemoved(
  events: EventRecorder,
  controllerConfig: Readonly<ControllerConfig>,
  { input, state }: TrustReport,
): void {
  if (state !== 'removed') return
  const message = `input ${input} was removed on purpose; nodes remove its content`
  events.normal(referenceTo(controllerConfigs, controllerConfig), removedReason, message)
}
