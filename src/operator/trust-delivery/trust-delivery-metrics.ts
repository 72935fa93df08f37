import type { Gauge, Metrics } from '@machinist/core/metrics'
import { deliveryStates } from '../../fleet/trust/delivery-state.ts'
import type { ItemTally } from './tally.ts'

export interface TrustDeliveryMetrics {
  update(items: readonly ItemTally[], now: number): void
}

/** The alert rules in deploy/monitoring use these metrics. */
export function trustDeliveryMetrics(metrics: Metrics): TrustDeliveryMetrics {
  const nodes = metrics.gauge({
    name: 'machinist_trust_nodes',
    help: 'Nodes by delivery state of a trust item.',
    labels: ['item', 'state'],
  })
  const lagging = metrics.gauge({
    name: 'machinist_trust_lagging_nodes',
    help: 'Nodes that do not have the desired version of a trust item.',
    labels: ['item'],
  })
  const oldest = metrics.gauge({
    name: 'machinist_trust_oldest_lag_seconds',
    help: 'How long the longest lagging node has not had the desired version of a trust item; 0 if no node lags.',
    labels: ['item'],
  })
  const notAfter = metrics.gauge({
    name: 'machinist_trust_earliest_not_after_seconds',
    help: 'When the first certificate of a trust item on any node expires, in seconds since the epoch.',
    labels: ['item'],
  })
  const runsOut = metrics.gauge({
    name: 'machinist_trust_runs_out_seconds',
    help: 'When the first certificate of a trust item on any node expires, ignoring certificates whose successor the node has, in seconds since the epoch.',
    labels: ['item'],
  })
  return {
    update(items, now) {
      for (const tally of items) {
        const { item, counts, behind, oldest: since = now } = tally
        for (const state of deliveryStates) nodes.set({ item, state }, counts[state])
        lagging.set({ item }, behind)
        oldest.set({ item }, Math.max(0, Math.floor((now - since) / 1000)))
        setOrForget(notAfter, item, tally.notAfter)
        setOrForget(runsOut, item, tally.runsOut)
      }
    },
  }
}

function setOrForget(gauge: Gauge<'item'>, item: string, at: number | undefined): void {
  if (at === undefined) gauge.forget({ item })
  else gauge.set({ item }, Math.floor(at / 1000))
}
