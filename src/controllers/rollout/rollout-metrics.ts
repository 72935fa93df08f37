import {
  conditionOf,
  imageConfigDegraded,
  isCondition,
  kubeletDefaultsDegraded,
  poolConditions,
} from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { Metrics } from '@machinist/core/metrics'
import type { Belonging } from '../../fleet/pools/pool-of-node.ts'
import { degradedBy, updatingReasons } from './reasons.ts'

export interface RolloutMetrics {
  shown(pool: string, status: MachineConfigPoolStatus): void
  poolGone(pool: string): void
  placed(node: string, belonging: Belonging): void
}

/** Every node runs what its pool wants. */
const updated = 'Updated'
/** Where a rollout can be, in the words of the Updating condition. */
const states: readonly string[] = [updated, ...Object.values(updatingReasons)]
/** What keeps a pool, or a part of what it shall have, from its nodes. */
const troubles: readonly string[] = [...degradedBy, kubeletDefaultsDegraded, imageConfigDegraded]

/** What a pool's status says, and the alert of the original, by the names that dashboards know; the rest is ours. */
export function rolloutMetrics(metrics: Metrics): RolloutMetrics {
  const labels = ['pool'] as const
  const counts = {
    machineCount: metrics.gauge({ name: 'mco_machine_count', help: 'Nodes in a pool.', labels }),
    updatedMachineCount: metrics.gauge({
      name: 'mco_updated_machine_count',
      help: 'Nodes of a pool that run its configuration.',
      labels,
    }),
    degradedMachineCount: metrics.gauge({
      name: 'mco_degraded_machine_count',
      help: 'Nodes of a pool that failed to take a configuration.',
      labels,
    }),
    unavailableMachineCount: metrics.gauge({
      name: 'mco_unavailable_machine_count',
      help: 'Nodes of a pool that are out of service.',
      labels,
    }),
  } as const
  const rollout = metrics.gauge({
    name: 'machinist_pool_rollout',
    help: '1 for the state that the rollout of a pool is in.',
    labels: ['pool', 'state'],
  })
  const degraded = metrics.gauge({
    name: 'machinist_pool_degraded',
    help: 'Whether something is wrong with a pool, by the condition that says what.',
    labels: ['pool', 'condition'],
  })
  const waits = metrics.gauge({
    name: 'machinist_pool_render_waiting',
    help: 'Whether the configuration of a pool is not rendered because somebody else is waited for.',
    labels,
  })
  const alert = metrics.gauge({
    name: 'mcc_pool_alert',
    help: '1 for a control plane node that a custom pool selects too.',
    labels: ['node'],
  })
  return {
    shown(pool, status) {
      for (const count of ownKeys(counts)) counts[count].set({ pool }, status[count] ?? 0)
      const now = conditionOf(status.conditions, poolConditions.updating)?.reason || updated
      for (const state of states) rollout.set({ pool, state }, state === now ? 1 : 0)
      for (const condition of troubles) {
        degraded.set({ pool, condition }, isCondition(status.conditions, condition) ? 1 : 0)
      }
      const isWaiting = isCondition(status.conditions, poolConditions.renderDegraded, 'Unknown')
      waits.set({ pool }, isWaiting ? 1 : 0)
    },
    poolGone(pool) {
      for (const count of ownKeys(counts)) counts[count].forget({ pool })
      for (const state of states) rollout.forget({ pool, state })
      for (const condition of troubles) degraded.forget({ pool, condition })
      waits.forget({ pool })
    },
    placed(node, { overruled }) {
      if (overruled === undefined) alert.forget({ node })
      else alert.set({ node }, 1)
    },
  }
}

const ownKeys = <K extends string>(record: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(record) as K[]
