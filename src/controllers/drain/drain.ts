import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { drainEvents, drainReasons } from '../../api/reasons.ts'
import { InvalidInput, messageOf, Stalled, Waiting } from '@machinist/core/errors'
import { referenceTo } from '@machinist/core/objects/resource'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { acknowledgeDrain, cordon } from './act.ts'
import { evictPods } from './evict-pods.ts'
import { onOneLine, sameBlockers } from '../../fleet/drain/blockers.ts'
import { cordonedRecord, decide } from './decide.ts'
import type { DrainFacts, EvictionStep } from './facts.ts'
import { gather, readNode, reportedBlockers } from './gather.ts'
import { drainInputs } from './inputs.ts'
import { progressAfter } from './progress.ts'
import type { DrainReport } from './conditions.ts'
import { blockedText } from './conditions.ts'
import { pendingRequest } from './request.ts'
import { reportDrain } from './report.ts'
import { shortPauseMs, slowAfterMs } from './timing.ts'
import type { DrainContext } from './context.ts'
import { namespaceIndex } from './context.ts'

/** Steps are short and wait only for responses, so many nodes can be drained at once. */
const workers = 50
const requestMs = 15_000

/** Drains nodes whose daemons request it. One reconcile is one step of a drain. */
export function drainController(context: DrainContext): Controller {
  return {
    name: 'drain',
    inputs: drainInputs(context, ['drain', 'unknown']),
    outputs: ['Node', 'Pod', 'MachineConfigNode'],
    workers,
    async reconcile(name, reconcileContext) {
      const call = { signal: reconcileContext.signal, timeoutMs: requestMs }
      const node = await readNode(context.client, name, call)
      if (!node) context.metrics.forget(name)
      try {
        return await step(context, await gather(context, node, call), reconcileContext)
      } catch (error) {
        if (error instanceof Stalled || !node) throw error
        await reportFailure(context, node, error, reconcileContext)
        if (!(error instanceof InvalidInput)) throw error
        throw new Waiting('InvalidDrainPolicy', error.message, shortPauseMs)
      }
    },
  }
}

async function reportFailure(
  context: DrainContext,
  node: Readonly<Node>,
  failure: unknown,
  { log, signal }: ReconcileContext,
): Promise<void> {
  const request = pendingRequest(node)
  if (request?.verb !== 'drain') return
  const { config } = request
  const error = onOneLine(messageOf(failure))
  const report: DrainReport = cordonedRecord(node)
    ? {
        type: 'drain failed',
        config,
        error,
        blockers: reportedBlockers(context, node.metadata.name),
      }
    : { type: 'cordon failed', config, error }
  await reportDrain(context, node, report, log, { signal, timeoutMs: requestMs })
}

async function step(
  context: DrainContext,
  facts: DrainFacts,
  { log, signal }: ReconcileContext,
): Promise<Outcome> {
  const { check, why, next } = decide(facts)
  const { node } = facts
  log.debug('decided', { check, why, action: next.action })
  if (!node) return settled
  const { name } = node.metadata
  if (next.action === 'nothing') {
    // The overdue drain is no longer requested.
    context.metrics.clearOverdue(name)
    return settled
  }
  const call = { signal, timeoutMs: requestMs }
  const { config } = pendingRequest(node)!
  switch (next.action) {
    case 'reject':
      context.events.warning(referenceTo(nodes, node), drainEvents.drainFailed, why)
      throw new Stalled('UnknownDrainRequest', `node ${name}: ${why}`)
    case 'wait':
      return await waitForTurn(context, node, { config, why }, { log, signal })
    case 'cordon':
      if (await cordon(context.client, node, next.record, call)) {
        log.info('cordoned node', { node: name, request: next.record.request })
      }
      return requeueNow
    case 'evict':
      return await evict(context, facts, next, { log, signal })
    case 'acknowledge': {
      // Report before the acknowledgement: afterwards the daemon continues, and its reports must come last.
      await reportDrain(context, node, { type: 'drained', config }, log, call)
      if (!(await acknowledgeDrain(context.client, node, next.value, call))) return requeueNow
      log.info('drained node', { node: name, request: next.value })
      context.metrics.clearOverdue(name)
      context.metrics.setLastAction('drain', name, context.clock.now())
      return settled
    }
    case 'uncordon':
      return settled
  }
}

/** A change of the pool's turns triggers the next step. */
async function waitForTurn(
  context: DrainContext,
  node: Readonly<Node>,
  { config, why }: { readonly config: string; readonly why: string },
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<Outcome> {
  const { conditions } = context.machineConfigNodes.get(node.metadata.name)?.status ?? {}
  const report = { type: 'no turn', config, why } as const
  const reason = drainReasons.waitingForTurn
  if (conditionOf(conditions, nodeConditions.drained)?.reason !== reason) {
    context.events.warning(referenceTo(nodes, node), reason, `Draining for ${config} waits: ${why}`)
  }
  await reportDrain(context, node, report, log, { signal, timeoutMs: requestMs })
  return requeueAfter(shortPauseMs)
}

/** After a successful write and after a conflict the next reconcile reads the node again. */
const requeueNow = requeueAfter(0)

async function evict(
  context: DrainContext,
  facts: DrainFacts,
  next: EvictionStep,
  { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
): Promise<Outcome> {
  const node = facts.node!
  const call = { signal, timeoutMs: requestMs }
  const { config } = pendingRequest(node)!
  const { name } = node.metadata
  if (next.overdue) context.metrics.setOverdue(name)
  else context.metrics.clearOverdue(name)
  const results = await evictPods(context.client, context.clock, next, call)
  const now = context.clock.now()
  const budgetsOf = (pod: Readonly<Pod>) => budgetsFor(context, pod)
  const { blockers, requeueAfterMs } = progressAfter(next, results, budgetsOf, facts.reported, now)
  await reportDrain(
    context,
    node,
    { type: 'draining', config, blockers, overdue: next.overdue },
    log,
    call,
  )
  if (blockers.length > 0 && !sameBlockers(blockers, facts.reported)) {
    context.events.warning(
      referenceTo(nodes, node),
      drainEvents.drainBlocked,
      blockedText(config, blockers),
    )
  }
  reportAge(context, node, config, next)
  return requeueAfter(requeueAfterMs)
}

/** Emits one event per attempt, not per step. */
function reportAge(
  { events }: DrainContext,
  node: Readonly<Node>,
  config: string,
  next: EvictionStep,
): void {
  const { ageMs, begins, overdue, remaining } = next
  if (!begins || ageMs <= slowAfterMs) return
  const minutes = Math.floor(ageMs / 60_000)
  const count = remaining.length === 1 ? '1 pod is' : `${remaining.length} pods are`
  const message = `Draining for ${config} has taken ${minutes} minutes, and ${count} left. The drain continues`
  const reason = overdue ? drainEvents.drainFailed : drainEvents.drainThresholdExceeded
  events.warning(referenceTo(nodes, node), reason, message)
}

function budgetsFor(
  { budgets }: DrainContext,
  { metadata }: Readonly<Pod>,
): Readonly<PodDisruptionBudget>[] {
  const candidates = budgets.byIndex(namespaceIndex, metadata.namespace ?? '')
  return candidates.filter(({ spec }) => {
    try {
      return matchesLabels(selectorFromSpec(spec?.selector, nothing), metadata.labels)
    } catch {
      // The API server rejects such selectors; otherwise its own message is reported.
      return false
    }
  })
}
