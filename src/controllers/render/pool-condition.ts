import type { ConditionReport } from '../../api/conditions.ts'
import { poolConditions, setCondition, longestMessage } from '../../api/conditions.ts'
import { renderReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { Condition } from '../../base/resource.ts'
import { keyOf } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import { modify } from '../../kube/client-modify.ts'
import { timestamp } from '../../base/timestamp.ts'
import type { Block } from './gates.ts'

/**
 * What the pool shows of rendering: False all is well, True a person has to act, Unknown rendering waits for another
 * component. In the last two the nodes keep what they have.
 */
export function renderCondition(pool: string, block: Block | undefined): ConditionReport {
  const type = poolConditions.renderDegraded
  if (!block) return { type, status: 'False', reason: renderReasons.rendered, message: '' }
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

/** Others write conditions of the same list, so the newest list is changed, and only where it has to. */
export async function showCondition(
  pool: MachineConfigPool,
  report: ConditionReport,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(client.clock.now())
  if (setCondition(pool.status?.conditions, report, now) === pool.status?.conditions) return
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: {
      ...current.status,
      conditions: setCondition(current.status?.conditions, report, now) as Condition[],
    },
  })
  await modify(client, machineConfigPools, keyOf(pool), change, { subresource: 'status', signal })
}
