import type { Metrics } from '../../base/metrics.ts'
import type { Belonging } from './pool-of-node.ts'
import type { Counts } from './situation.ts'

export interface RolloutMetrics {
  counted(pool: string, counts: Counts): void
  poolGone(pool: string): void
  placed(node: string, belonging: Belonging): void
}

const helps = {
  machine: 'Nodes in a pool.',
  updated: 'Nodes of a pool that run its configuration.',
  degraded: 'Nodes of a pool that failed to take a configuration.',
  unavailable: 'Nodes of a pool that are out of service.',
} as const

/** The pool's counters and the alert of the original, by the names that dashboards know. */
export function rolloutMetrics(metrics: Metrics): RolloutMetrics {
  const gauge = (which: keyof typeof helps) => {
    const name = which === 'machine' ? 'mco_machine_count' : `mco_${which}_machine_count`
    return metrics.gauge({ name, help: helps[which], labels: ['pool'] })
  }
  const gauges = (['machine', 'updated', 'degraded', 'unavailable'] as const).map(
    (which) => [which, gauge(which)] as const,
  )
  const alert = metrics.gauge({
    name: 'mcc_pool_alert',
    help: '1 for a control plane node that a custom pool selects too.',
    labels: ['node'],
  })
  return {
    counted(pool, counts) {
      for (const [which, each] of gauges) each.set({ pool }, counts[which])
    },
    poolGone(pool) {
      for (const [, each] of gauges) each.forget({ pool })
    },
    placed(node, { overruled }) {
      if (overruled === undefined) alert.forget({ node })
      else alert.set({ node }, 1)
    },
  }
}
