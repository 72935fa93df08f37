import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import { Waiting } from '@machinist/core/errors'
import type { Release } from '../../api/validation/extensions.ts'
import { msUntilBlocked } from '../../fleet/rollout/blockers.ts'
import { batchInput } from './batched-input.ts'
import type { RolloutInformers } from './inputs.ts'
import { rolloutInputs } from './inputs.ts'
import type { RolloutSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { RolloutPass } from './report.ts'
import { report } from './report.ts'
import { Membership } from './membership.ts'
import { rolloutMetrics } from './rollout-metrics.ts'

export interface RolloutSettings {
  /** The release whose rules decide the effect of an update; the newest by default. */
  readonly release?: Release
  /** How long a changed pool waits for more changes before its reconcile; one second by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 1000

/** Brings the nodes of every pool to its rendered config, within the budget. Keys are pool names. Create one per run. */
export function rolloutController(
  context: ControllerContext,
  caches: RolloutInformers,
  { release, batchMs = defaultBatchMs }: RolloutSettings = {},
): Controller {
  const { client, clock, events } = context
  const membership = new Membership()
  const metrics = rolloutMetrics(context.metrics)
  const sources: RolloutSources = {
    caches,
    membership,
    writtenPools: new OwnWrites(clock),
    writtenNodes: new OwnWrites(clock),
    client,
    clock,
    ...(release !== undefined && { release }),
  }
  caches.pools.onRelist((begunAt) => sources.writtenPools.relisted(begunAt))
  caches.nodes.onRelist((begunAt) => sources.writtenNodes.relisted(begunAt))
  const inputs = rolloutInputs(caches, membership, metrics, events)
  return stepController(context, {
    name: 'rollout',
    inputs: inputs.map((each) => batchInput(each, clock, batchMs)),
    outputs: ['Node', 'MachineConfigPool'],
    gather: (pool, { signal }) => gather(sources, pool, signal),
    decide,
    act: (plan, _facts, step) => act(plan, { ...sources, ...step }),
    report: (pass, step) => report(pass, { ...sources, ...step, rolloutMetrics: metrics }),
    next,
    forget: (pool) => metrics.removePool(pool),
  })
}

function next({ key, facts, plan, result }: RolloutPass & { readonly type: 'acted' }): Outcome {
  const { conflicting, failures } = result
  if (failures.length > 0) {
    const message = `cannot write ${failures.length} of ${plan.writes.length} nodes of pool ${key}`
    throw new Error(message, { cause: failures[0] })
  }
  if (conflicting.length > 0) {
    const message = `nodes ${conflicting.join()} changed during the reconcile`
    throw new Waiting('NodesChanged', message, catchUpMs)
  }
  const ms = facts.isForeignTarget ? undefined : msUntilBlocked(facts)
  return ms === undefined ? settled : requeueAfter(ms)
}
