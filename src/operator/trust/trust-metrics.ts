import type { Metrics } from '../../base/metrics.ts'
import type { TrustReport } from './reports.ts'

/** Shows what each input has come to. What the cluster does not give has no series. */
export function trustMetrics(metrics: Metrics): (reports: readonly TrustReport[]) => void {
  const good = metrics.gauge({
    name: 'machinist_operator_input_good',
    help: 'Whether a source of trust can be used; if not, its last good value stays.',
    labels: ['input'],
  })
  const notAfter = metrics.gauge({
    name: 'machinist_operator_input_not_after_seconds',
    help: 'When the first certificate of an input that still counts ends, in seconds since the epoch.',
    labels: ['input'],
  })
  return (reports) => {
    for (const { input, state, notAfter: end } of reports) {
      if (state === 'good' || state === 'bad') good.set({ input }, state === 'good' ? 1 : 0)
      else good.forget({ input })
      if (end === undefined) notAfter.forget({ input })
      else notAfter.set({ input }, end / 1000)
    }
  }
}
