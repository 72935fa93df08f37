import type { Gauge, Metrics } from '@machinist/core/metrics'

export interface OtherOperatorMetrics {
  readonly held: Gauge
}

export const otherOperatorMetrics = (metrics: Metrics): OtherOperatorMetrics => ({
  held: metrics.gauge({
    name: 'machinist_operator_held',
    help: 'Whether the operator writes nothing because another operator, such as MCO, wrote the ControllerConfig.',
  }),
})
