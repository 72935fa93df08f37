import type { Metrics } from '@machinist/core/metrics'
import type { NodeTrustItem } from '../../../api/kinds/node-trust.ts'
import { isCurrent } from './node-trust.ts'

/** The metrics of the trust lane. */
export interface TrustMetrics {
  lines(lines: readonly NodeTrustItem[]): void
  written(item: string): void
}

export function trustMetrics(metrics: Metrics): TrustMetrics {
  const current = metrics.gauge({
    name: 'machinist_trust_item_current',
    help: 'Whether the trust item on this node is current: 1 or 0.',
    labels: ['item'],
  })
  const notAfter = metrics.gauge({
    name: 'machinist_trust_item_not_after_seconds',
    help: 'Time at which the first certificate of the trust item on this node expires, in seconds since the epoch.',
    labels: ['item'],
  })
  const written = metrics.counter({
    name: 'machinist_trust_written_total',
    help: 'Number of times that the daemon wrote or removed a trust item.',
    labels: ['item'],
  })
  let known: ReadonlySet<string> = new Set()
  return {
    lines(lines) {
      const names = new Set(lines.map(({ name }) => name))
      for (const item of known) {
        if (names.has(item)) continue
        current.forget({ item })
        notAfter.forget({ item })
      }
      known = names
      for (const line of lines) {
        const item = line.name
        current.set({ item }, isCurrent(line) ? 1 : 0)
        if (line.earliestNotAfter === undefined) notAfter.forget({ item })
        else notAfter.set({ item }, Date.parse(line.earliestNotAfter) / 1000)
      }
    },
    written: (item) => written.add({ item }),
  }
}
