import type { Metrics } from '@machinist/core/metrics'
import {
  conditionOf,
  imageConfigDegraded,
  isCondition,
  kubeletDefaultsDegraded,
  poolConditions,
} from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { PoolAssignment } from '../../fleet/pools/pool-of-node.ts'
import { degradedBy, updatingReasons } from './reasons.ts'

export interface RolloutMetrics {
  setStatus(pool: string, status: MachineConfigPoolStatus): void
  removePool(pool: string): void
  setAssignment(node: string, assignment: PoolAssignment): void
}

/** Every node runs the target of its pool. */
const updated = 'Updated'
/** States of a rollout: the reasons of the Updating condition. */
const states: readonly string[] = [updated, ...Object.values(updatingReasons)]
/** Conditions that keep a config, or a part of it, from the nodes of a pool. */
const degradedConditions: readonly string[] = [
  ...degradedBy,
  kubeletDefaultsDegraded,
  imageConfigDegraded,
]

/** The counts of a pool's status and the alert keep MCO's metric names, for dashboards; the others are Machinist's. */
export function rolloutMetrics(metrics: Metrics): RolloutMetrics {
  const labels = ['pool'] as const
  const counts = {
    machineCount: metrics.gauge({
      name: 'mco_machine_count',
      help: 'Number of nodes in a pool.',
      labels,
    }),
    updatedMachineCount: metrics.gauge({
      name: 'mco_updated_machine_count',
      help: 'Number of nodes in a pool that run its rendered config.',
      labels,
    }),
    degradedMachineCount: metrics.gauge({
      name: 'mco_degraded_machine_count',
      help: 'Number of nodes in a pool that failed to apply a config.',
      labels,
    }),
    unavailableMachineCount: metrics.gauge({
      name: 'mco_unavailable_machine_count',
      help: 'Number of unavailable nodes in a pool.',
      labels,
    }),
  } as const
  const rollout = metrics.gauge({
    name: 'machinist_pool_rollout',
    help: '1 for the current state of the rollout of a pool, 0 for the others.',
    labels: ['pool', 'state'],
  })
  const degraded = metrics.gauge({
    name: 'machinist_pool_degraded',
    help: '1 if the condition of the pool is True, else 0.',
    labels: ['pool', 'condition'],
  })
  const renderWaiting = metrics.gauge({
    name: 'machinist_pool_render_waiting',
    help: '1 if rendering of a pool waits for another component, else 0.',
    labels,
  })
  const alert = metrics.gauge({
    name: 'mcc_pool_alert',
    help: '1 for a control plane node that a custom pool selects too.',
    labels: ['node'],
  })
  return {
    setStatus(pool, status) {
      for (const count of ownKeys(counts)) counts[count].set({ pool }, status[count] ?? 0)
      const current = conditionOf(status.conditions, poolConditions.updating)?.reason || updated
      for (const state of states) rollout.set({ pool, state }, state === current ? 1 : 0)
      for (const condition of degradedConditions) {
        degraded.set({ pool, condition }, isCondition(status.conditions, condition) ? 1 : 0)
      }
      const isWaiting = isCondition(status.conditions, poolConditions.renderDegraded, 'Unknown')
      renderWaiting.set({ pool }, isWaiting ? 1 : 0)
    },
    removePool(pool) {
      for (const count of ownKeys(counts)) counts[count].forget({ pool })
      for (const state of states) rollout.forget({ pool, state })
      for (const condition of degradedConditions) degraded.forget({ pool, condition })
      renderWaiting.forget({ pool })
    },
    setAssignment(node, { overruled }) {
      if (overruled === undefined) alert.forget({ node })
      else alert.set({ node }, 1)
    },
  }
}

const ownKeys = <K extends string>(record: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(record) as K[]
