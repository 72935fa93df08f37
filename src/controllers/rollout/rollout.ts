import type { MachineConfigPool } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Node } from '@machinist/kube/kinds/core'
import type { Pen } from './act.ts'
import { act, writeStatus } from './act.ts'
import { blockedIn } from '../../fleet/rollout/blockers.ts'
import { batched } from './batched-input.ts'
import { decide } from './decide.ts'
import type { Sources } from './gather.ts'
import { gather } from './gather.ts'
import type { RolloutInformers } from './inputs.ts'
import { rolloutInputs } from './inputs.ts'
import { Membership } from './membership.ts'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import type { RolloutMetrics } from './rollout-metrics.ts'
import { rolloutMetrics } from './rollout-metrics.ts'
import { statusOf } from './status.ts'
import { tellContested, tellState, tellTold } from './telling.ts'

export interface RolloutOptions {
  readonly client: KubeClient
  readonly informers: RolloutInformers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  /** Whose rules say what an update does; the newest unless told. */
  readonly release?: Release
  /** How long a pool that changed waits for more changes; a second. */
  readonly batchMs?: number
}

const defaultBatchMs = 1000

/** Brings every pool's nodes to its configuration, a few at a time. Its keys are names of pools. One for each run. */
export function rolloutController(options: RolloutOptions): Controller {
  const { client, informers, clock, release, batchMs = defaultBatchMs } = options
  const membership = new Membership()
  const metrics = rolloutMetrics(options.metrics)
  const sources: Sources = {
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
    inputs: inputs.map((each) => batched(each, clock, batchMs)),
    outputs: ['Node', 'MachineConfigPool'],
    reconcile: (pool, context) => reconcile(pool, context, sources, options.events, metrics),
  }
}

async function reconcile(
  name: string,
  { signal, log }: ReconcileContext,
  sources: Sources,
  events: EventRecorder,
  metrics: RolloutMetrics,
): Promise<Outcome> {
  const facts = await gather(sources, name, signal)
  if (!facts) {
    metrics.poolGone(name)
    return settled
  }
  // Its status is the other controller's too: two writers would take turns for ever.
  if (facts.isTheirs) return settled
  const plan = decide(facts)
  const status = statusOf(plan)
  metrics.shown(name, status)
  const pen: Pen = { ...sources, signal }
  const acted = await act(pen, plan)
  if (acted.told.length > 0) log.info('told nodes what to run', { nodes: acted.told.join() })
  tellTold(events, plan, acted)
  tellContested(events, facts)
  await writeStatus(pen, plan, status)
  tellState(events, plan)
  if (acted.failures.length > 0) {
    const what = `could not write ${acted.failures.length} of ${plan.writes.length} nodes of pool ${name}`
    throw new Error(what, { cause: acted.failures[0] })
  }
  if (acted.late.length === 0) {
    const ms = blockedIn(facts)
    return ms === undefined ? settled : requeueAfter(ms)
  }
  throw new Waiting('NodesChanged', `${acted.late.join()} changed in between`, catchUpMs)
}
