import { referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ClusterOperatorResult } from './act.ts'
import type { ClusterOperatorMetrics } from './cluster-operator-metrics.ts'
import type { ClusterOperatorPlan } from './decide.ts'
import { eventsFor } from './events.ts'
import type { ClusterOperatorFacts } from './facts.ts'
import { writeStatus } from './status-write.ts'
import { statusFor } from './status.ts'

export type ClusterOperatorPass = Pass<
  ClusterOperatorFacts,
  ClusterOperatorPlan,
  ClusterOperatorResult
>

/** Metrics, before the writes: clusters without ClusterOperators have them too. */
export function announce({ health }: ClusterOperatorPlan, metrics: ClusterOperatorMetrics): void {
  metrics.update(health.failures)
}

/** One write of the status if it changes, and the events of the change. */
export async function report(pass: ClusterOperatorPass, step: StepContext): Promise<void> {
  const { facts, plan } = pass
  const { events, log } = step
  // Without an object there is no status.
  if (pass.type === 'failed' || !pass.result.isServed) return
  const now = timestamp(facts.nowMs)
  const result = await writeStatus(
    facts.found,
    (status) => statusFor(status, plan.health, now),
    step,
  )
  if (result.type !== 'written') return
  const about = referenceTo(clusterOperators, result.object)
  for (const { type, reason, message } of eventsFor(result.before, result.object.status ?? {})) {
    events[type](about, reason, message)
  }
  log.info('wrote the status of the ClusterOperator', {
    failing: plan.health.failures[0]?.task ?? 'nothing',
  })
}
