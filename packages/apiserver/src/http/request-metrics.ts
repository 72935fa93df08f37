import type { Clock } from '@machinist/core/clock'
import type { Counter, Gauge, Histogram } from '@machinist/core/metrics'
import { Metrics } from '@machinist/core/metrics'
import type { ServedKind } from '../kinds/served-kind.ts'
import { prefixOf } from '../verbs/object-key.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import type { WatchCache } from '../watch/watch-cache.ts'

/** What a request was about, once that is known. */
export interface Measured {
  readonly verb: string
  readonly kind?: ServedKind
  readonly subresource?: string
}

type RequestLabel = 'verb' | 'group' | 'version' | 'resource' | 'subresource'
type Labels = Readonly<Record<RequestLabel, string>>

const requestLabels: readonly RequestLabel[] = [
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
]
const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 5, 10, 30, 60]

/** Verbs that there are; whatever else a client makes up counts together. */
const verbs = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'post',
  'put',
  'head',
  'options',
])

/** So many resources get series of their own; definitions come and go, but what is counted stays. */
const mostResources = 300

/** Counts requests under the names that kube-apiserver has for them, so that its dashboards work. */
export class RequestMetrics {
  readonly #metrics = new Metrics()
  readonly #clock: Clock
  readonly #total: Counter<RequestLabel | 'code'>
  readonly #duration: Histogram<RequestLabel>
  readonly #running: Gauge<RequestLabel>
  readonly #resources = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#total = this.#metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests that were answered.',
      labels: [...requestLabels, 'code'],
    })
    this.#duration = this.#metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'How long answers took; watches are not among them.',
      labels: requestLabels,
      buckets: seconds,
    })
    this.#running = this.#metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches that are open now.',
      labels: requestLabels,
    })
  }

  /** A request begins. Say what it is about as soon as that is known, and when it has been answered. */
  begin(): RequestMeasure {
    const since = this.#clock.elapsed()
    let labels = this.#labels({ verb: '' })
    let isWatch = false
    return {
      isAbout: (measured) => {
        labels = this.#labels(measured)
        isWatch = measured.verb === 'watch'
        if (isWatch) this.#running.add(labels, 1)
      },
      answered: (code) => {
        this.#total.add({ ...labels, code: String(code) })
        if (isWatch) this.#running.add(labels, -1)
        else this.#duration.observe(labels, (this.#clock.elapsed() - since) / 1000)
      },
    }
  }

  /** Everything, with how much the store and the watch cache hold at this moment. */
  text(context: VerbContext, cache: WatchCache): string {
    const now = new Metrics()
    this.#setStore(now, context)
    const { window, watchers, heard } = cache.sizes
    setGauge(now, 'apiserver_watch_cache_watchers', 'Watches that hear changes.', watchers)
    setGauge(now, 'apiserver_watch_cache_changes', 'Changes kept for new watches.', window.changes)
    setGauge(
      now,
      'apiserver_watch_cache_characters',
      'Characters of objects in the changes kept.',
      window.characters,
    )
    setGauge(now, 'apiserver_watch_cache_oldest_revision', 'Where watches can begin.', window.start)
    setGauge(now, 'apiserver_watch_cache_revision', 'The newest change that was heard.', heard)
    return this.#metrics.text() + now.text()
  }

  #setStore(now: Metrics, { store, kinds }: VerbContext): void {
    setGauge(now, 'apiserver_storage_revision', 'The newest revision.', store.revision)
    setGauge(now, 'apiserver_storage_oldest_revision', 'The oldest one that is kept.', store.oldest)
    setGauge(now, 'apiserver_storage_size_bytes', 'What the store takes.', store.bytes)
    const objects = now.gauge({
      name: 'apiserver_storage_objects',
      help: 'Objects that are stored.',
      labels: ['resource'],
    })
    for (const kind of kinds.all) {
      const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
      objects.set({ resource }, store.count({ prefix: prefixOf(kind, undefined) }))
    }
  }

  #labels({ verb, kind, subresource = '' }: Measured): Labels {
    const said = { verb: verbs.has(verb) ? verb.toUpperCase() : '', subresource: '' }
    if (!kind) return { ...said, group: '', version: '', resource: '' }
    const { group, version, plural: resource } = kind
    const name = `${group}/${version}/${resource}`
    if (!this.#resources.has(name)) {
      if (this.#resources.size >= mostResources) {
        return { ...said, group: 'other', version: '', resource: 'other' }
      }
      this.#resources.add(name)
    }
    return { ...said, group, version, resource, subresource }
  }
}

export interface RequestMeasure {
  isAbout(measured: Measured): void
  answered(code: number): void
}

function setGauge(metrics: Metrics, name: string, help: string, value: number): void {
  metrics.gauge({ name, help }).set({}, value)
}
