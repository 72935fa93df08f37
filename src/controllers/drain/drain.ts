import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { drainEvents, drainReasons } from '../../api/reasons.ts'
import { InvalidInput, messageOf, Stalled, Waiting } from '@machinist/core/errors'
import { referenceTo } from '@machinist/core/resource'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/selectors'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { acknowledgeDrain, cordon } from './act.ts'
import { askToLeave } from './ask-to-leave.ts'
import { onOneLine, sameBlockers } from '../../fleet/drain/blockers.ts'
import { cordonedRecord, decide } from './decide.ts'
import type { Facts, Move } from './facts.ts'
import { gather, nodeNow, toldBlockers } from './gather.ts'
import { drainInputs } from './inputs.ts'
import { progressAfter } from './progress.ts'
import type { Report } from './reports.ts'
import { blockedText } from './reports.ts'
import { pendingRequest } from './request.ts'
import { tell } from './tell.ts'
import { shortRestMs, slowAfterMs } from './timing.ts'
import type { DrainWorld } from './world.ts'
import { namespaceIndex } from './world.ts'

/** Steps are short and wait for nothing but answers, so many nodes may be under way at once. */
const workers = 50
const requestMs = 15_000

/** Drains the nodes whose daemons ask for it. One reconcile is one step; a drain is as many as it takes. */
export function drainController(world: DrainWorld): Controller {
  return {
    name: 'drain',
    inputs: drainInputs(world, ['drain', 'unknown']),
    outputs: ['Node', 'Pod', 'MachineConfigNode'],
    workers,
    async reconcile(name, context) {
      const call = { signal: context.signal, timeoutMs: requestMs }
      const node = await nodeNow(world.client, name, call)
      if (!node) world.metrics.forget(name)
      try {
        return await step(world, await gather(world, node, call), context)
      } catch (error) {
        if (error instanceof Stalled || !node) throw error
        await tellFailure(world, node, error, context)
        if (!(error instanceof InvalidInput)) throw error
        throw new Waiting('InvalidDrainPolicy', error.message, shortRestMs)
      }
    },
  }
}

async function tellFailure(
  world: DrainWorld,
  node: Readonly<Node>,
  failure: unknown,
  { log, signal }: ReconcileContext,
): Promise<void> {
  const request = pendingRequest(node)
  if (request?.verb !== 'drain') return
  const { config } = request
  const error = onOneLine(messageOf(failure))
  const report: Report = cordonedRecord(node)
    ? { at: 'drain failed', config, error, blockers: toldBlockers(world, node.metadata.name) }
    : { at: 'cordon failed', config, error }
  await tell(world, node, report, log, { signal, timeoutMs: requestMs })
}

async function step(world: DrainWorld, facts: Facts, context: ReconcileContext): Promise<Outcome> {
  const { policy, why, next } = decide(facts)
  const { node } = facts
  context.log.debug('decided', { policy, why, next: next.do })
  if (!node) return settled
  const { name } = node.metadata
  if (next.do === 'nothing') {
    // Whatever was late is no longer wanted.
    world.metrics.onTime(name)
    return settled
  }
  const call = { signal: context.signal, timeoutMs: requestMs }
  const { config } = pendingRequest(node)!
  switch (next.do) {
    case 'complain':
      world.events.warning(referenceTo(nodes, node), drainEvents.drainFailed, why)
      throw new Stalled('UnknownDrainRequest', `node ${name}: ${why}`)
    case 'refuse':
      return await refuse(world, node, { config, why }, context)
    case 'cordon':
      if (await cordon(world.client, node, next.record, call)) {
        context.log.info('node is cordoned', { node: name, request: next.record.request })
      }
      return atOnce
    case 'move':
      return await move(world, facts, next, context)
    case 'acknowledge': {
      // First told, then acknowledged: from then on the daemon goes on, and its reports must come last.
      await tell(world, node, { at: 'drained', config }, context.log, call)
      if (!(await acknowledgeDrain(world.client, node, next.value, call))) return atOnce
      context.log.info('node is drained', { node: name, request: next.value })
      world.metrics.onTime(name)
      world.metrics.done('drain', name, world.clock.now())
      return settled
    }
    case 'uncordon':
      return settled
  }
}

/** The pool's next turns bring the next step. */
async function refuse(
  world: DrainWorld,
  node: Readonly<Node>,
  { config, why }: { readonly config: string; readonly why: string },
  { log, signal }: ReconcileContext,
): Promise<Outcome> {
  const { conditions } = world.machineConfigNodes.get(node.metadata.name)?.status ?? {}
  const report = { at: 'no turn', config, why } as const
  const reason = drainReasons.waitingForTurn
  if (conditionOf(conditions, nodeConditions.drained)?.reason !== reason) {
    world.events.warning(referenceTo(nodes, node), reason, `Draining for ${config} waits: ${why}`)
  }
  await tell(world, node, report, log, { signal, timeoutMs: requestMs })
  return requeueAfter(shortRestMs)
}

/** Either it went well, or the node has changed: both want a new look. */
const atOnce = requeueAfter(0)

async function move(
  world: DrainWorld,
  facts: Facts,
  next: Move,
  { log, signal }: ReconcileContext,
): Promise<Outcome> {
  const node = facts.node!
  const call = { signal, timeoutMs: requestMs }
  const { config } = pendingRequest(node)!
  const { name } = node.metadata
  if (next.overdue) world.metrics.late(name)
  else world.metrics.onTime(name)
  const asked = await askToLeave(world.client, world.clock, next, call)
  const now = world.clock.now()
  const budgetsOf = (pod: Readonly<Pod>) => budgetsFor(world, pod)
  const { blockers, lookAgainMs } = progressAfter(next, asked, budgetsOf, facts.told, now)
  await tell(world, node, { at: 'draining', config, blockers, overdue: next.overdue }, log, call)
  if (blockers.length > 0 && !sameBlockers(blockers, facts.told)) {
    world.events.warning(
      referenceTo(nodes, node),
      drainEvents.drainBlocked,
      blockedText(config, blockers),
    )
  }
  tellAge(world, node, config, next)
  return requeueAfter(lookAgainMs)
}

/** Once per attempt, not once per step. */
function tellAge({ events }: DrainWorld, node: Readonly<Node>, config: string, next: Move): void {
  const { ageMs, begins, overdue, remaining } = next
  if (!begins || ageMs <= slowAfterMs) return
  const minutes = Math.floor(ageMs / 60_000)
  const count = remaining.length === 1 ? '1 pod is' : `${remaining.length} pods are`
  const message = `Draining for ${config} has taken ${minutes} minutes, and ${count} left. It goes on`
  const reason = overdue ? drainEvents.drainFailed : drainEvents.drainThresholdExceeded
  events.warning(referenceTo(nodes, node), reason, message)
}

function budgetsFor(
  { budgets }: DrainWorld,
  { metadata }: Readonly<Pod>,
): Readonly<PodDisruptionBudget>[] {
  const near = budgets.byIndex(namespaceIndex, metadata.namespace ?? '')
  return near.filter(({ spec }) => {
    try {
      return matchesLabels(selectorFromSpec(spec?.selector, nothing), metadata.labels)
    } catch {
      // The server would not have taken such a selector; if it did, its own words must do.
      return false
    }
  })
}
