import { Transient } from '@machinist/core/errors'
import type { Gauge } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, poolHeld } from '../../api/conditions.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { PoolHold } from '../../fleet/pools/hold.ts'
import { degraded } from './block.ts'
import type { RenderPlan } from './decide.ts'
import type { ReadPoolFacts, RenderFacts, RenderPhase } from './facts.ts'
import {
  changesConditions,
  heldConditions,
  isPending,
  pendingCondition,
  releasedCondition,
  renderCondition,
  renderedCondition,
  writePoolConditions,
} from './pool-conditions.ts'

export type RenderPass = Pass<RenderFacts, RenderPlan, RenderPhase | undefined>

export interface RenderReportContext extends StepContext {
  /** Whether the rendered config of a pool overrides the OS image of the release. */
  readonly overridden: Gauge<'pool'>
}

/** Before the batch window and before spec.configuration changes: `kubectl wait` must not succeed for the old config. */
export async function announce(
  plan: RenderPlan,
  facts: RenderFacts,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  const pending = pendingOf(plan)
  if (facts.type === 'pool') await writePoolConditions(facts.pool, pending, client, signal)
}

/** The conditions of the pool, with an event for each new message that needs a user. */
export async function report(pass: RenderPass, context: RenderReportContext): Promise<void> {
  const { facts, plan } = pass
  if (facts.type !== 'pool') return
  if (pass.type === 'failed') return await reportRefusal(pass.failure, facts, context)
  const { pool } = facts
  switch (plan.action) {
    case 'hold':
      return await reportHold(plan.hold, facts, context)
    case 'leave': {
      // Only an outdated Held condition is reset.
      const { client, signal } = context
      return await writePoolConditions(pool, releasedCondition(pool), client, signal)
    }
    case 'render':
      return await reportRendered(plan, pool, context)
    case 'block':
      return await reportBlock(plan, pool, context)
    case 'delete':
    case 'wait':
  }
}

async function reportRendered(
  { rendered, warnings, pending }: RenderPlan & { readonly action: 'render' },
  pool: MachineConfigPool,
  context: RenderReportContext,
): Promise<void> {
  const { name } = pool.metadata
  context.overridden.set({ pool: name }, rendered.osImageOverridden ? 1 : 0)
  const wasPending = pending !== undefined || isPending(pool)
  const updated = wasPending ? [renderedCondition()] : []
  const condition = renderCondition(name, undefined, warnings)
  await reportRender(pool, [condition, ...releasedCondition(pool), ...updated], context)
}

async function reportBlock(
  plan: RenderPlan & { readonly action: 'block' },
  pool: MachineConfigPool,
  context: RenderReportContext,
): Promise<void> {
  const { check, block, pending } = plan
  const isReset = pending === undefined && isPending(pool)
  const updated = isReset ? [renderedCondition()] : pendingOf(plan)
  await reportRender(pool, [renderCondition(pool.metadata.name, block), ...updated], context)
  if (block.waiting) context.log.info('rendering waits', { check, why: block.message })
}

const pendingOf = (plan: RenderPlan): ConditionReport[] =>
  'pending' in plan && plan.pending !== undefined ? [pendingCondition(plan.pending)] : []

/** Other failures are only retried. */
async function reportRefusal(
  failure: unknown,
  { pool }: ReadPoolFacts,
  context: RenderReportContext,
): Promise<void> {
  if (!(failure instanceof Transient && failure.reason === renderReasons.refused)) return
  const block = degraded(failure.reason, failure.message)
  await reportRender(pool, [renderCondition(pool.metadata.name, block)], context)
}

/** Keeps the plan in the condition while templates are not rendered yet, for example after a restart. */
async function reportHold(
  hold: PoolHold,
  { pool, isOfOtherOperator }: ReadPoolFacts,
  { client, events, log, signal }: RenderReportContext,
): Promise<void> {
  const before = conditionOf(pool.status?.conditions, poolHeld)
  if (hold.plan === undefined && before?.status === 'True') return
  const reports = heldConditions(pool, hold, isOfOtherOperator)
  await writePoolConditions(pool, reports, client, signal)
  if (!changesConditions(pool, reports.slice(0, 1))) return
  const { config, maker } = hold
  log.info('pool keeps the config of another controller', { config, maker })
  events.warning(referenceTo(machineConfigPools, pool), poolEvents.held, reports[0].message ?? '')
}

async function reportRender(
  pool: MachineConfigPool,
  reports: readonly [ConditionReport, ...ConditionReport[]],
  { client, events, signal }: RenderReportContext,
): Promise<void> {
  const { status, reason = '', message = '' } = reports[0]
  const isNotable = status === 'True' || reason === renderReasons.renderedWithWarnings
  if (isNotable && changesConditions(pool, reports.slice(0, 1))) {
    events.warning(referenceTo(machineConfigPools, pool), reason, message)
  }
  await writePoolConditions(pool, reports, client, signal)
}
