import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { ItemTally } from './tally.ts'
import { holdings } from '../../fleet/trust/judge.ts'

export interface LedgerMetrics {
  show(items: readonly ItemTally[], now: number): void
}

/** What alert rules ask for: see deploy/monitoring. */
export function ledgerMetrics(metrics: Metrics): LedgerMetrics {
  const nodes = metrics.gauge({
    name: 'machinist_trust_nodes',
    help: 'Nodes, by what they have of an item.',
    labels: ['item', 'state'],
  })
  const lagging = metrics.gauge({
    name: 'machinist_trust_lagging_nodes',
    help: 'Nodes that lack what the cluster wants them to have of an item.',
    labels: ['item'],
  })
  const oldest = metrics.gauge({
    name: 'machinist_trust_oldest_lag_seconds',
    help: 'For how long the first of them lacks it; 0 if none does.',
    labels: ['item'],
  })
  const notAfter = metrics.gauge({
    name: 'machinist_trust_earliest_not_after_seconds',
    help: 'When the first certificate ends that a node has of an item, in seconds since the epoch.',
    labels: ['item'],
  })
  const runsOut = metrics.gauge({
    name: 'machinist_trust_runs_out_seconds',
    help: 'The same, without certificates whose successor the node has already.',
    labels: ['item'],
  })
  return {
    show(items, now) {
      for (const tally of items) {
        const { item, counts, behind, oldest: since = now } = tally
        for (const state of holdings) nodes.set({ item, state }, counts[state])
        lagging.set({ item }, behind)
        oldest.set({ item }, Math.max(0, Math.floor((now - since) / 1000)))
        tell(notAfter, item, tally.notAfter)
        tell(runsOut, item, tally.runsOut)
      }
    },
  }
}

function tell(gauge: Gauge<'item'>, item: string, at: number | undefined): void {
  if (at === undefined) gauge.forget({ item })
  else gauge.set({ item }, Math.floor(at / 1000))
}
