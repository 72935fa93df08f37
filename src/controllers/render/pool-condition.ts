import type { ConditionReport } from '../../api/conditions.ts'
import {
  conditionOf,
  isCondition,
  longestMessage,
  poolConditions,
  poolHeld,
  setCondition,
} from '../../api/conditions.ts'
import { heldReasons, renderReasons, updatedReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { timestamp } from '@machinist/core/timestamp'
import type { Hold } from '../../fleet/pools/hold.ts'
import { holdMessage } from '../../fleet/pools/hold.ts'
import type { Block } from './gates.ts'
import { someOf } from './gates.ts'

/**
 * What the pool shows of rendering: False all is well, True a person has to act, Unknown rendering waits for another
 * component. In the last two the nodes keep what they have.
 */
export function renderCondition(
  pool: string,
  block: Block | undefined,
  warnings: readonly string[] = [],
): ConditionReport {
  const type = poolConditions.renderDegraded
  if (!block) {
    const reason =
      warnings.length === 0 ? renderReasons.rendered : renderReasons.renderedWithWarnings
    return { type, status: 'False', reason, message: someOf(warnings).slice(0, longestMessage) }
  }
  const { waiting, reason, message } = block
  const begin = waiting
    ? `Rendering of pool ${pool}`
    : `Failed to render configuration for pool ${pool}:`
  return {
    type,
    status: waiting ? 'Unknown' : 'True',
    reason,
    message: `${begin} ${message}`.slice(0, longestMessage),
  }
}

/**
 * What the pool shows while another controller's configuration is kept. RenderDegraded is that controller's word then: it is
 * written only to take back what we said before, and not at all while `isLeft` to another operator, whose controller writes it.
 */
export function heldConditions(
  pool: MachineConfigPool,
  hold: Hold,
  isLeft: boolean,
): readonly [ConditionReport, ...ConditionReport[]] {
  const { conditions } = pool.status ?? {}
  const degraded = conditionOf(conditions, poolConditions.renderDegraded)
  const held: ConditionReport = {
    type: poolHeld,
    status: 'True',
    reason: heldReasons.otherMaker,
    message: holdMessage(pool.metadata.name, hold).slice(0, longestMessage),
  }
  if (isLeft) return [held]
  const isStale = degraded !== undefined && degraded.status !== 'False'
  return [
    held,
    ...(isStale ? [renderCondition(pool.metadata.name, undefined)] : []),
    ...(isPending(pool) ? [renderedCondition()] : []),
  ]
}

/** Of a pool that is rendered: nothing about a hold that never was. */
export function freedCondition({ status }: MachineConfigPool): ConditionReport[] {
  if (!isCondition(status?.conditions, poolHeld)) return []
  return [{ type: poolHeld, status: 'False', reason: heldReasons.free, message: '' }]
}

/** Whether the pool does not show these yet. */
export function isNews(pool: MachineConfigPool, reports: readonly ConditionReport[]): boolean {
  const shown = pool.status?.conditions
  return changed(shown, reports, '') !== shown
}

/** A change that is not rendered yet: waiting for Updated=True must not succeed. */
export function pendingCondition(change: string): ConditionReport {
  return updatedReport(updatedReasons.renderPending, `Waiting for rendering: ${change}`)
}

/** Leaves it to rollout whether the nodes run what the pool points at. */
export function renderedCondition(): ConditionReport {
  return updatedReport(updatedReasons.rendered, 'Waiting for the rollout to look at the nodes')
}

function updatedReport(reason: string, message: string): ConditionReport {
  const type = poolConditions.updated
  return { type, status: 'False', reason, message: message.slice(0, longestMessage) }
}

export function isPending({ status }: MachineConfigPool): boolean {
  const updated = conditionOf(status?.conditions, poolConditions.updated)
  return updated?.reason === updatedReasons.renderPending
}

/** Others write conditions of the same list, so the newest list is changed, and only where it has to. */
export async function showConditions(
  pool: MachineConfigPool,
  reports: readonly ConditionReport[],
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  if (!isNews(pool, reports)) return
  const now = timestamp(client.clock.now())
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: {
      ...current.status,
      conditions: changed(current.status?.conditions, reports, now) as Condition[],
    },
  })
  await modify(client, machineConfigPools, keyOf(pool), change, { subresource: 'status', signal })
}

const changed = (
  conditions: readonly Condition[] | undefined,
  reports: readonly ConditionReport[],
  now: string,
): readonly Condition[] | undefined =>
  reports.reduce((before, report) => setCondition(before, report, now), conditions)
