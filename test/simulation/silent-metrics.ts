import type { Counter, Gauge, Histogram } from '@machinist/core/metrics'
import { Metrics } from '@machinist/core/metrics'

/** Discards all metrics: simulations do not read them, and counting takes a large part of their time. */
export class SilentMetrics extends Metrics {
  override counter(): Counter<string> {
    return silent
  }

  override gauge(): Gauge<string> {
    return silent
  }

  override histogram(): Histogram<string> {
    return silent
  }
}

const silent: Counter<string> & Gauge<string> & Histogram<string> = {
  add() {},
  set() {},
  forget() {},
  clear() {},
  observe() {},
}
