import type { Counter, Gauge, Histogram } from '@machinist/core/metrics'
import { Metrics } from '@machinist/core/metrics'

/** Nobody asks simulated processes for their numbers, and counting is a good part of what a world costs. */
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
