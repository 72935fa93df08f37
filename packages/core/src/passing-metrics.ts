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
 * Metrics of somebody who will stop: what is counted stays, but gauges tell how things are, and who has stopped no
 * longer knows.
 */
export class PassingMetrics extends Metrics {
  readonly #metrics: Metrics
  readonly #clear: (() => void)[] = []
  #isOver = false

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
    // Work that outlives its stop must not leave a number behind.
    const unlessOver =
      <Args extends unknown[]>(tell: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!this.#isOver) tell(...args)
      }
    return {
      set: unlessOver((labels: LabelValues<Label>, value: number) => gauge.set(labels, value)),
      add: unlessOver((labels: LabelValues<Label>, by: number) => gauge.add(labels, by)),
      forget: unlessOver((labels: LabelValues<Label>) => gauge.forget(labels)),
      clear: unlessOver(() => gauge.clear()),
    }
  }

  override text(): string {
    return this.#metrics.text()
  }

  /** Forgets the gauges, for good. */
  end(): void {
    this.#isOver = true
    for (const clear of this.#clear) clear()
  }
}
