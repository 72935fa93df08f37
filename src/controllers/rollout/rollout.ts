import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Node } from '@machinist/kube/kinds/core'
import type { RolloutWriteContext } from './act.ts'
import { act, writeStatus } from './act.ts'
import { msUntilBlocked } from '../../fleet/rollout/blockers.ts'
import { batchInput } from './batched-input.ts'
import { decide } from './decide.ts'
import type { RolloutSources } from './gather.ts'
import { gather } from './gather.ts'
import type { RolloutInformers } from './inputs.ts'
import { rolloutInputs } from './inputs.ts'
import { Membership } from './membership.ts'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import type { RolloutMetrics } from './rollout-metrics.ts'
import { rolloutMetrics } from './rollout-metrics.ts'
import { statusOf } from './status.ts'
import { reportContestedNodes, reportPoolState, reportTargeted } from './report.ts'

export interface RolloutOptions {
  readonly client: KubeClient
  readonly informers: RolloutInformers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  /** The release whose rules decide the effect of an update; the newest by default. */
  readonly release?: Release
  /** How long a changed pool waits for more changes before its reconcile; one second by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 1000

/** Brings the nodes of every pool to its rendered config, within the budget. Keys are pool names. Create one per run. */
export function rolloutController(options: RolloutOptions): Controller {
  const { client, informers, clock, release, batchMs = defaultBatchMs } = options
  const membership = new Membership()
  const metrics = rolloutMetrics(options.metrics)
  const sources: RolloutSources = {
    caches: informers,
    membership,
    writtenPools: new OwnWrites<MachineConfigPool>(clock),
    writtenNodes: new OwnWrites<Node>(clock),
    client,
    clock,
    ...(release !== undefined && { release }),
  }
  informers.pools.onRelist((begunAt) => sources.writtenPools.relisted(begunAt))
  informers.nodes.onRelist((begunAt) => sources.writtenNodes.relisted(begunAt))
  const inputs = rolloutInputs(informers, membership, metrics, options.events)
  return {
    name: 'rollout',
    inputs: inputs.map((each) => batchInput(each, clock, batchMs)),
    outputs: ['Node', 'MachineConfigPool'],
    reconcile: (pool, context) => reconcile(pool, context, sources, options.events, metrics),
  }
}

async function reconcile(
  name: string,
  { signal, log }: ReconcileContext,
  sources: RolloutSources,
  events: EventRecorder,
  metrics: RolloutMetrics,
): Promise<Outcome> {
  const facts = await gather(sources, name, signal)
  if (!facts) {
    metrics.removePool(name)
    return settled
  }
  // The other controller writes the status too: two writers would overwrite each other forever.
  if (facts.isForeignTarget) return settled
  const plan = decide(facts)
  const status = statusOf(plan)
  metrics.setStatus(name, status)
  const context: RolloutWriteContext = { ...sources, signal }
  const result = await act(context, plan)
  if (result.targeted.length > 0) {
    log.info('set desiredConfig', { pool: name, nodes: result.targeted.join() })
  }
  reportTargeted(events, plan, result)
  reportContestedNodes(events, facts)
  await writeStatus(context, plan, status)
  reportPoolState(events, plan)
  if (result.failures.length > 0) {
    const message = `cannot write ${result.failures.length} of ${plan.writes.length} nodes of pool ${name}`
    throw new Error(message, { cause: result.failures[0] })
  }
  if (result.conflicting.length === 0) {
    const ms = msUntilBlocked(facts)
    return ms === undefined ? settled : requeueAfter(ms)
  }
  throw new Waiting(
    'NodesChanged',
    `nodes ${result.conflicting.join()} changed during the reconcile`,
    catchUpMs,
  )
}
