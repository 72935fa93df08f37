import type {
  Counter,
  Gauge,
  Histogram,
  HistogramDefinition,
  LabelValues,
  MetricDefinition,
} from './metrics.ts'
import { Metrics } from './metrics.ts'

/**
 * Metrics of a component that stops before the process does. Counters and histograms remain after `end()`; gauges are removed,
 * because a stopped component no longer knows the current state.
 */
export class ScopedMetrics extends Metrics {
  readonly #metrics: Metrics
  readonly #clear: (() => void)[] = []
  #hasEnded = false

  constructor(metrics: Metrics) {
    super()
    this.#metrics = metrics
  }

  override counter<Label extends string = never>(
    definition: MetricDefinition<Label>,
  ): Counter<Label> {
    return this.#metrics.counter(definition)
  }

  override histogram<Label extends string = never>(
    definition: HistogramDefinition<Label>,
  ): Histogram<Label> {
    return this.#metrics.histogram(definition)
  }

  override gauge<Label extends string = never>(definition: MetricDefinition<Label>): Gauge<Label> {
    const gauge = this.#metrics.gauge(definition)
    this.#clear.push(() => gauge.clear())
    // Work that is still running after `end()` must not set a gauge again.
    const unlessEnded =
      <Args extends unknown[]>(update: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!this.#hasEnded) update(...args)
      }
    return {
      set: unlessEnded((labels: LabelValues<Label>, value: number) => gauge.set(labels, value)),
      add: unlessEnded((labels: LabelValues<Label>, by: number) => gauge.add(labels, by)),
      forget: unlessEnded((labels: LabelValues<Label>) => gauge.forget(labels)),
      clear: unlessEnded(() => gauge.clear()),
    }
  }

  override text(): string {
    return this.#metrics.text()
  }

  /** Removes the gauges permanently. */
  end(): void {
    this.#hasEnded = true
    for (const clear of this.#clear) clear()
  }
}
