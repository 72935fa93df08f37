import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { IssuanceRandom } from '@machinist/pki/issue'
import type { RotationCaches } from './inputs.ts'
import { rotationInputs } from './inputs.ts'
import { forgetObjects, gather } from './gather.ts'
import type { ProceedPlan } from './decide/decide.ts'
import { decide } from './decide/decide.ts'
import type { RotationResult } from './act/act.ts'
import { act } from './act/act.ts'
import { RefusedWrites, refusedMs } from './act/refused-writes.ts'
import type { RotationPass } from './report/report.ts'
import { report } from './report/report.ts'
import { rotationMetrics } from './report/rotation-metrics.ts'
import { RotationStatusReporter } from './report/status-reporter.ts'
import { NodeEvidence } from './evidence/node-evidence.ts'

export interface RotationSettings {
  /** Source of keys and serial numbers; cryptographically random by default. */
  readonly chance?: IssuanceRandom
}

/** The longest requeue interval, because clocks jump. */
const maxRequeueMs = 3_600_000
/** Interval at which the age of lagging nodes is updated. */
const lateMs = 60_000

/** The controller for TrustRotations: a CA, its bundles and the leaf certificates that it signs. The key is the name. */
export function rotationController(
  context: ControllerContext,
  caches: RotationCaches,
  { chance }: RotationSettings = {},
): Controller {
  const { client, clock } = context
  const metrics = rotationMetrics(context.metrics)
  const reporter = new RotationStatusReporter(client, clock, metrics)
  const evidence = new NodeEvidence(caches)
  const refused = new RefusedWrites(clock)
  return stepController(context, {
    name: 'trust-rotation',
    inputs: rotationInputs(caches, evidence, clock),
    outputs: ['Secret', 'ConfigMap', 'TrustRotation'],
    timeoutMs: 120_000,
    gather: (name) => gather(name, { caches, evidence, clock }),
    decide,
    act: (plan, facts, step) => act(plan, facts, { ...step, refused, chance }),
    report: (pass, step) => report(pass, { ...step, rotationMetrics: metrics, reporter }),
    next: (pass) => next(pass, reporter.waitMs(pass.key)),
    forget: (name) => {
      forgetObjects(name, { caches, evidence })
      refused.forget(name)
      metrics.forget(name)
      reporter.forget(name)
    },
  })
}

/** `reportMs`: the delay before the status can be written; undefined if it is up to date. */
function next(
  { plan, result }: RotationPass & { readonly type: 'acted' },
  reportMs: number | undefined,
): Outcome {
  switch (plan.type) {
    case 'invalid':
      return reportMs === undefined ? settled : requeueAfter(reportMs)
    case 'wait':
      return requeueAfter(plan.ms)
    case 'unreadable':
      return requeueAfter(refusedMs)
    case 'proceed':
      return requeueAfter(Math.min(nextMs(plan, result), reportMs ?? Infinity))
  }
}

function nextMs({ facts, at }: ProceedPlan, result: RotationResult): number {
  const { refusals, soonMs, failure } = result
  if (failure) throw failure.error
  const isLate = (facts.nodes?.lacking ?? 0) > 0
  return Math.min(
    maxRequeueMs,
    soonMs,
    at === undefined ? Infinity : at - facts.now,
    refusals.length > 0 ? refusedMs : Infinity,
    isLate ? lateMs : Infinity,
  )
}
