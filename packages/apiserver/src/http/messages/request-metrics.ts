import type { Clock } from '@machinist/core/clock'
import type { Counter, Gauge, Histogram } from '@machinist/core/metrics'
import { Metrics } from '@machinist/core/metrics'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { prefixOf } from '../../objects/object-key.ts'
import type { VerbContext } from '../../verbs/verb-context.ts'
import type { WatchCache } from '../../watch/watch-cache.ts'

/** Labels of a request, once they are known. */
export interface MeasuredRequest {
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

/** Known verbs; all others share one label value. */
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

/** Limit for resources with their own series: CRDs come and go, but series stay. */
const maxResources = 300

/** Request metrics under kube-apiserver's names, so that its dashboards work. */
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
      help: 'Answered requests.',
      labels: [...requestLabels, 'code'],
    })
    this.#duration = this.#metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Response time of requests other than watches.',
      labels: requestLabels,
      buckets: seconds,
    })
    this.#running = this.#metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Open watches.',
      labels: requestLabels,
    })
  }

  /** Starts measuring a request. Call `isAbout` when its resource is known and `answered` after the response. */
  begin(): RequestMeasurement {
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

  /** All metrics, with current sizes of the store and the watch cache. */
  text(context: VerbContext, cache: WatchCache): string {
    const now = new Metrics()
    this.#setStore(now, context)
    const { window, watchers, deliveredRevision } = cache.sizes
    setGauge(
      now,
      'apiserver_watch_cache_watchers',
      'Watches that receive changes from the cache.',
      watchers,
    )
    setGauge(now, 'apiserver_watch_cache_changes', 'Changes in the watch cache.', window.changes)
    setGauge(
      now,
      'apiserver_watch_cache_characters',
      'Characters of objects in the watch cache.',
      window.characters,
    )
    setGauge(
      now,
      'apiserver_watch_cache_oldest_revision',
      'Oldest revision at which a watch can start.',
      window.start,
    )
    setGauge(
      now,
      'apiserver_watch_cache_revision',
      'Newest revision in the watch cache.',
      deliveredRevision,
    )
    return this.#metrics.text() + now.text()
  }

  #setStore(now: Metrics, { store, kinds }: VerbContext): void {
    setGauge(now, 'apiserver_storage_revision', 'Newest revision of the store.', store.revision)
    setGauge(
      now,
      'apiserver_storage_oldest_revision',
      'Oldest revision of the store.',
      store.oldest,
    )
    setGauge(now, 'apiserver_storage_size_bytes', 'Size of the store.', store.bytes)
    const objects = now.gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects by resource.',
      labels: ['resource'],
    })
    for (const kind of kinds.all) {
      const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
      objects.set({ resource }, store.count({ prefix: prefixOf(kind, undefined) }))
    }
  }

  #labels({ verb, kind, subresource = '' }: MeasuredRequest): Labels {
    const base = { verb: verbs.has(verb) ? verb.toUpperCase() : '', subresource: '' }
    if (!kind) return { ...base, group: '', version: '', resource: '' }
    const { group, version, plural: resource } = kind
    const name = `${group}/${version}/${resource}`
    if (!this.#resources.has(name)) {
      if (this.#resources.size >= maxResources) {
        return { ...base, group: 'other', version: '', resource: 'other' }
      }
      this.#resources.add(name)
    }
    return { ...base, group, version, resource, subresource }
  }
}

export interface RequestMeasurement {
  isAbout(measured: MeasuredRequest): void
  answered(code: number): void
}

function setGauge(metrics: Metrics, name: string, help: string, value: number): void {
  metrics.gauge({ name, help }).set({}, value)
}
