import { messageOf } from '@machinist/core/errors'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { Node } from '@machinist/kube/kinds/core'
import { onOneLine } from '../../fleet/drain/blockers.ts'
import type { DrainMetrics } from '../drain/drain-metrics.ts'
import { pendingRequest } from '../drain/request.ts'
import { writeReport } from '../drain/write-report.ts'
import type { UncordonResult } from './act.ts'
import type { UncordonPlan } from './decide.ts'
import type { UncordonFacts } from './facts.ts'
import type { UncordonCaches } from './inputs.ts'

export type UncordonPass = Pass<UncordonFacts, UncordonPlan, UncordonResult>

export interface UncordonReportContext extends StepContext {
  readonly caches: Pick<UncordonCaches, 'machineConfigNodes' | 'poolOf'>
  readonly drainMetrics: DrainMetrics
}

/** A finished uncordon is reported before its acknowledgement: then the daemon continues, and its reports must come last. */
export async function announce(
  { check, why, next }: UncordonPlan,
  { node }: UncordonFacts,
  context: UncordonReportContext,
): Promise<void> {
  context.log.debug('decided', { check, why, action: next.action })
  if (next.action !== 'acknowledge') return
  const config = configOf(node)
  if (next.cordonKept) {
    const kept = `Left cordoned after ${config}: ${why}`
    await writeReport({ type: 'cordon kept', config, why: kept }, node, context)
  } else await writeReport({ type: 'uncordoned', config }, node, context)
}

/** Metrics after the acknowledgement, or a condition of the MachineConfigNode after a failure. */
export async function report(pass: UncordonPass, context: UncordonReportContext): Promise<void> {
  const { key, facts } = pass
  if (pass.type === 'failed') {
    const error = onOneLine(messageOf(pass.failure))
    const config = configOf(facts.node)
    return await writeReport({ type: 'uncordon failed', config, error }, facts.node, context)
  }
  if (!pass.result.acknowledged) return
  context.drainMetrics.clearOverdue(key)
  context.drainMetrics.setLastAction('uncordon', key, context.clock.now())
}

const configOf = (node: Readonly<Node>): string => pendingRequest(node)?.config ?? ''
