import type { VerbContext } from '../../verbs/verb-context.ts'
import type { WatchCache } from '../../watch/watch-cache.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { Page } from '../messages/api-parts.ts'
import type { RequestMetrics } from '../messages/request-metrics.ts'

/** `/metrics`, for Prometheus. */
export class MetricsPage implements Page {
  readonly paths = ['/metrics']
  readonly #metrics: RequestMetrics
  readonly #context: VerbContext
  readonly #cache: WatchCache

  constructor(metrics: RequestMetrics, context: VerbContext, cache: WatchCache) {
    this.#metrics = metrics
    this.#context = context
    this.#cache = cache
  }

  answer(path: string, _query: URLSearchParams, answer: ApiResponse): boolean {
    if (path !== '/metrics') return false
    const text = this.#metrics.text(this.#context, this.#cache)
    answer.bytes(200, 'text/plain; version=0.0.4; charset=utf-8', text)
    return true
  }
}
