import { messageOf } from '@machinist/core/errors'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { drainEvents, drainReasons } from '../../api/reasons.ts'
import { onOneLine, sameBlockers } from '../../fleet/drain/blockers.ts'
import type { DrainResult } from './act.ts'
import { blockedText } from './conditions.ts'
import type { DrainPlan, EvictionStep } from './decide.ts'
import type { DrainMetrics } from './drain-metrics.ts'
import type { DrainFacts } from './facts.ts'
import { reportedBlockers } from './gather.ts'
import type { DrainCaches } from './inputs.ts'
import type { DrainProgress } from './progress.ts'
import { cordonedRecord } from './record.ts'
import { pendingRequest } from './request.ts'
import { slowAfterMs } from './timing.ts'
import { writeReport } from './write-report.ts'

export type DrainPass = Pass<DrainFacts, DrainPlan, DrainResult>

export interface DrainReportContext extends StepContext {
  readonly caches: Pick<DrainCaches, 'machineConfigNodes' | 'poolOf'>
  readonly drainMetrics: DrainMetrics
}

/** A finished drain is reported before its acknowledgement: then the daemon continues, and its reports must come last. */
export async function announce(
  { check, why, next }: DrainPlan,
  { node }: DrainFacts,
  context: DrainReportContext,
): Promise<void> {
  const { drainMetrics, log } = context
  const { name } = node.metadata
  log.debug('decided', { check, why, action: next.action })
  if (next.action === 'evict') {
    if (next.overdue) drainMetrics.setOverdue(name)
    else drainMetrics.clearOverdue(name)
  }
  if (next.action !== 'acknowledge') return
  await writeReport({ type: 'drained', config: configOf(node) }, node, context)
}

/** Events, metrics, and the conditions of the MachineConfigNode if they change. */
export async function report(pass: DrainPass, context: DrainReportContext): Promise<void> {
  if (pass.type === 'failed') return await reportFailure(pass, context)
  const { key, facts, plan, result } = pass
  const { why, next } = plan
  const { clock, drainMetrics, events } = context
  switch (next.action) {
    case 'nothing':
      // The overdue drain is no longer requested.
      return drainMetrics.clearOverdue(key)
    case 'reject':
      return events.warning(referenceTo(nodes, facts.node), drainEvents.drainFailed, why)
    case 'wait':
      return await reportWaiting(why, facts, context)
    case 'evict':
      return await reportProgress(next, result.progress!, facts, context)
    case 'acknowledge':
      if (!result.acknowledged) return
      drainMetrics.clearOverdue(key)
      drainMetrics.setLastAction('drain', key, clock.now())
      return
    case 'cordon':
    case 'fail':
  }
}

async function reportFailure(
  { key, facts: { node }, failure }: DrainPass & { readonly type: 'failed' },
  context: DrainReportContext,
): Promise<void> {
  const config = configOf(node)
  const error = onOneLine(messageOf(failure))
  if (!cordonedRecord(node)) {
    return await writeReport({ type: 'cordon failed', config, error }, node, context)
  }
  const blockers = reportedBlockers(context.caches, key)
  await writeReport({ type: 'drain failed', config, error, blockers }, node, context)
}

async function reportWaiting(
  why: string,
  { node }: DrainFacts,
  context: DrainReportContext,
): Promise<void> {
  const { caches, events } = context
  const config = configOf(node)
  const { conditions } = caches.machineConfigNodes.get(node.metadata.name)?.status ?? {}
  const reason = drainReasons.waitingForTurn
  if (conditionOf(conditions, nodeConditions.drained)?.reason !== reason) {
    events.warning(referenceTo(nodes, node), reason, `Draining for ${config} waits: ${why}`)
  }
  await writeReport({ type: 'no turn', config, why }, node, context)
}

async function reportProgress(
  step: EvictionStep,
  { blockers }: DrainProgress,
  { node, reported }: DrainFacts,
  context: DrainReportContext,
): Promise<void> {
  const { events } = context
  const config = configOf(node)
  const { overdue } = step
  await writeReport({ type: 'draining', config, blockers, overdue }, node, context)
  if (blockers.length > 0 && !sameBlockers(blockers, reported)) {
    const message = blockedText(config, blockers)
    events.warning(referenceTo(nodes, node), drainEvents.drainBlocked, message)
  }
  reportAge(step, node, events)
}

/** Emits one event per attempt, not per step. */
function reportAge(
  { ageMs, begins, overdue, remaining }: EvictionStep,
  node: Readonly<Node>,
  events: EventRecorder,
): void {
  if (!begins || ageMs <= slowAfterMs) return
  const minutes = Math.floor(ageMs / 60_000)
  const count = remaining.length === 1 ? '1 pod is' : `${remaining.length} pods are`
  const message = `Draining for ${configOf(node)} has taken ${minutes} minutes, and ${count} left. The drain continues`
  const reason = overdue ? drainEvents.drainFailed : drainEvents.drainThresholdExceeded
  events.warning(referenceTo(nodes, node), reason, message)
}

const configOf = (node: Readonly<Node>): string => pendingRequest(node)?.config ?? ''
