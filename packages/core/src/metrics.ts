/** Prometheus metrics in the text format, with a small footprint for nodes (docs/adr/0004). */
export interface MetricDefinition<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labels?: readonly Label[]
}

export interface HistogramDefinition<Label extends string> extends MetricDefinition<Label> {
  readonly buckets: readonly number[]
}

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>

export interface Counter<Label extends string = never> {
  add(labels: LabelValues<Label>, by?: number): void
}

export interface Gauge<Label extends string = never> {
  set(labels: LabelValues<Label>, value: number): void
  add(labels: LabelValues<Label>, by: number): void
  /** Removes one series, so that a deleted object leaves no stale value. */
  forget(labels: LabelValues<Label>): void
  /** Removes all series. */
  clear(): void
}

export interface Histogram<Label extends string = never> {
  observe(labels: LabelValues<Label>, value: number): void
}

interface Family {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly definition: MetricDefinition<string>
  lines(): Iterable<string>
}

export class Metrics {
  readonly #families = new Map<string, Family>()

  counter<Label extends string = never>(definition: MetricDefinition<Label>): Counter<Label> {
    const series = this.#values('counter', definition)
    return { add: (labels, by = 1) => series.add(labels, by) }
  }

  gauge<Label extends string = never>(definition: MetricDefinition<Label>): Gauge<Label> {
    return this.#values('gauge', definition)
  }

  histogram<Label extends string = never>(
    definition: HistogramDefinition<Label>,
  ): Histogram<Label> {
    return this.#register('histogram', definition, () => new HistogramSeries(definition))
  }

  /** All registered metrics in the Prometheus text format. */
  text(): string {
    const lines: string[] = []
    for (const { definition, kind, ...family } of this.#listed()) {
      lines.push(`# HELP ${definition.name} ${escapeHelp(definition.help)}`)
      lines.push(`# TYPE ${definition.name} ${kind}`, ...family.lines())
    }
    return lines.join('\n') + '\n'
  }

  *#listed(): Iterable<{
    definition: MetricDefinition<string>
    kind: string
    lines: () => Iterable<string>
  }> {
    for (const family of this.#families.values()) {
      yield { definition: family.definition, kind: family.kind, lines: () => family.lines() }
    }
  }

  #values<Label extends string>(
    kind: 'counter' | 'gauge',
    definition: MetricDefinition<Label>,
  ): ValueSeries<Label> {
    return this.#register(kind, definition, () => new ValueSeries(kind, definition))
  }

  /** Returns the existing metric if the name is registered: all queues of a process share `workqueue_depth`. */
  #register<F extends Family>(
    kind: Family['kind'],
    definition: MetricDefinition<string>,
    make: () => F,
  ): F {
    const known = this.#families.get(definition.name)
    if (!known) {
      const made = make()
      this.#families.set(definition.name, made)
      return made
    }
    const same =
      known.kind === kind &&
      (known.definition.labels ?? []).join() === (definition.labels ?? []).join()
    if (!same)
      throw new TypeError(
        `metric ${definition.name} is already registered with another type or other labels`,
      )
    return known as F
  }
}

class ValueSeries<Label extends string> implements Family, Gauge<Label> {
  readonly kind: 'counter' | 'gauge'
  readonly definition: MetricDefinition<Label>
  readonly #values = new Map<string, number>()

  constructor(kind: 'counter' | 'gauge', definition: MetricDefinition<Label>) {
    this.kind = kind
    this.definition = definition
  }

  set(labels: LabelValues<Label>, value: number): void {
    this.#values.set(labelText(this.definition, labels), value)
  }

  add(labels: LabelValues<Label>, by: number): void {
    const key = labelText(this.definition, labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + by)
  }

  forget(labels: LabelValues<Label>): void {
    this.#values.delete(labelText(this.definition, labels))
  }

  clear(): void {
    this.#values.clear()
  }

  *lines(): Iterable<string> {
    for (const [labels, value] of this.#values) {
      yield `${this.definition.name}${braced(labels)} ${numberText(value)}`
    }
  }
}

interface Distribution {
  readonly counts: number[]
  sum: number
  count: number
}

class HistogramSeries<Label extends string> implements Family, Histogram<Label> {
  readonly kind = 'histogram'
  readonly definition: HistogramDefinition<Label>
  readonly #series = new Map<string, Distribution>()

  constructor(definition: HistogramDefinition<Label>) {
    this.definition = definition
  }

  observe(labels: LabelValues<Label>, value: number): void {
    const key = labelText(this.definition, labels)
    let series = this.#series.get(key)
    if (!series) {
      series = { counts: this.definition.buckets.map(() => 0), sum: 0, count: 0 }
      this.#series.set(key, series)
    }
    const bucket = this.definition.buckets.findIndex((limit) => value <= limit)
    if (bucket >= 0) series.counts[bucket]! += 1
    series.sum += value
    series.count += 1
  }

  *lines(): Iterable<string> {
    const { name, buckets } = this.definition
    for (const [labels, series] of this.#series) {
      let below = 0
      for (const [i, limit] of buckets.entries()) {
        below += series.counts[i]!
        yield `${name}_bucket${braced(joined(labels, `le="${numberText(limit)}"`))} ${below}`
      }
      yield `${name}_bucket${braced(joined(labels, 'le="+Inf"'))} ${series.count}`
      yield `${name}_sum${braced(labels)} ${numberText(series.sum)}`
      yield `${name}_count${braced(labels)} ${series.count}`
    }
  }
}

function labelText<Label extends string>(
  definition: MetricDefinition<Label>,
  values: LabelValues<Label>,
): string {
  return (definition.labels ?? [])
    .map((label) => `${label}="${escapeLabel(values[label])}"`)
    .join(',')
}

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`)
const joined = (labels: string, last: string): string =>
  labels === '' ? last : `${labels},${last}`
const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return String(value)
}
