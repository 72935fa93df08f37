import type { Condition } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import { timestamp } from '@machinist/core/timestamp'
import type { ConditionReport } from '../../api/conditions.ts'
import {
  conditionOf,
  isCondition,
  maxMessageLength,
  poolConditions,
  poolHeld,
  setCondition,
} from '../../api/conditions.ts'
import { heldReasons, renderReasons, updatedReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { PoolHold } from '../../fleet/pools/hold.ts'
import { holdMessage } from '../../fleet/pools/hold.ts'
import type { RenderBlock } from './block.ts'
import { someOf } from './block.ts'

/**
 * RenderDegraded: False if rendering succeeded, True if a user must act, Unknown while rendering waits for another component.
 * With True and Unknown the nodes keep their config.
 */
export function renderCondition(
  pool: string,
  block: RenderBlock | undefined,
  warnings: readonly string[] = [],
): ConditionReport {
  const type = poolConditions.renderDegraded
  if (!block) {
    const reason =
      warnings.length === 0 ? renderReasons.rendered : renderReasons.renderedWithWarnings
    return { type, status: 'False', reason, message: someOf(warnings).slice(0, maxMessageLength) }
  }
  const { waiting, reason, message } = block
  const prefix = waiting
    ? `Rendering of pool ${pool}`
    : `Failed to render configuration for pool ${pool}:`
  return {
    type,
    status: waiting ? 'Unknown' : 'True',
    reason,
    message: `${prefix} ${message}`.slice(0, maxMessageLength),
  }
}

/**
 * The conditions of a pool that keeps the config of another controller. RenderDegraded belongs to that controller: it is only
 * reset after an earlier report of ours, and not written at all while another operator manages the pool (`isLeft`).
 */
export function heldConditions(
  pool: MachineConfigPool,
  hold: PoolHold,
  isLeft: boolean,
): readonly [ConditionReport, ...ConditionReport[]] {
  const { conditions } = pool.status ?? {}
  const degraded = conditionOf(conditions, poolConditions.renderDegraded)
  const held: ConditionReport = {
    type: poolHeld,
    status: 'True',
    reason: heldReasons.otherMaker,
    message: holdMessage(pool.metadata.name, hold).slice(0, maxMessageLength),
  }
  if (isLeft) return [held]
  const isStale = degraded !== undefined && degraded.status !== 'False'
  return [
    held,
    ...(isStale ? [renderCondition(pool.metadata.name, undefined)] : []),
    ...(isPending(pool) ? [renderedCondition()] : []),
  ]
}

/** Resets the Held condition of a rendered pool, if it was set. */
export function releasedCondition({ status }: MachineConfigPool): ConditionReport[] {
  if (!isCondition(status?.conditions, poolHeld)) return []
  return [{ type: poolHeld, status: 'False', reason: heldReasons.free, message: '' }]
}

/** Whether the reports change the conditions of the pool. */
export function changesConditions(
  pool: MachineConfigPool,
  reports: readonly ConditionReport[],
): boolean {
  const before = pool.status?.conditions
  return conditionsAfter(before, reports, '') !== before
}

/** A change is not rendered yet: `kubectl wait --for=condition=Updated` must not succeed. */
export function pendingCondition(change: string): ConditionReport {
  return updatedReport(updatedReasons.renderPending, `Waiting for rendering: ${change}`)
}

/** The rollout controller decides next whether the nodes are updated. */
export function renderedCondition(): ConditionReport {
  return updatedReport(
    updatedReasons.rendered,
    'Waiting for the rollout controller to check the nodes',
  )
}

function updatedReport(reason: string, message: string): ConditionReport {
  const type = poolConditions.updated
  return { type, status: 'False', reason, message: message.slice(0, maxMessageLength) }
}

export function isPending({ status }: MachineConfigPool): boolean {
  const updated = conditionOf(status?.conditions, poolConditions.updated)
  return updated?.reason === updatedReasons.renderPending
}

/** Other controllers write the same list, so the newest list is modified, and only if necessary. */
export async function writePoolConditions(
  pool: MachineConfigPool,
  reports: readonly ConditionReport[],
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  if (!changesConditions(pool, reports)) return
  const now = timestamp(client.clock.now())
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: {
      ...current.status,
      conditions: conditionsAfter(current.status?.conditions, reports, now) as Condition[],
    },
  })
  await modify(client, machineConfigPools, keyOf(pool), change, { subresource: 'status', signal })
}

const conditionsAfter = (
  conditions: readonly Condition[] | undefined,
  reports: readonly ConditionReport[],
  now: string,
): readonly Condition[] | undefined =>
  reports.reduce((before, report) => setCondition(before, report, now), conditions)
