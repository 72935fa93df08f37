import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import { ApiFailure, ignoreNotFound } from '../failure.ts'
import type { ListOptions, ListWatch, Page, WatchEvent, WatchOptions } from '../list-watch.ts'

/** Interval of the check whether the kind has been installed. */
const discoveryIntervalMs = 60_000
/** A resourceVersion that no server returns. */
const notServedVersion = ''

/**
 * The source of a kind that not every cluster serves. While the kind is not served, the list is empty and informers are
 * synced. When the kind is installed later, its objects appear.
 */
export class OptionalSource<T extends KubeObject> implements ListWatch<T> {
  readonly #source: ListWatch<T>
  readonly #clock: Clock
  #wasServed = false
  #isServed = false
  #isLost = false

  constructor(source: ListWatch<T>, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  /** Whether the kind was ever served. */
  get wasServed(): boolean {
    return this.#wasServed
  }

  /** Whether the last list found the kind: then a missing object was never created, or was deleted. */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Whether the kind was served and is not served any more, or has not been listed since. The state of its objects is unknown. */
  get isLost(): boolean {
    return this.#isLost
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<Page<T>> {
    const page = await this.#list(options, signal)
    if (!page) {
      this.#isLost ||= this.#isServed || options.continue !== undefined
      this.#isServed = false
      return { items: [], resourceVersion: notServedVersion }
    }
    if (!page.continue) {
      this.#isServed = true
      this.#isLost = false
    }
    return page
  }

  async *watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    if (options.resourceVersion !== notServedVersion) {
      yield* this.#source.watch(options, signal)
      return
    }
    await sleep(this.#clock, discoveryIntervalMs, signal)
    if (signal.aborted) return
    if (!(await this.#list({ limit: 1 }, signal))) return
    const request = { method: 'GET', path: 'a kind that is served now' }
    throw new ApiFailure(request, 410, { reason: 'Expired', message: 'list it again' })
  }

  async #list(options: ListOptions, signal: AbortSignal): Promise<Page<T> | undefined> {
    const page = await ignoreNotFound(this.#source.list(options, signal))
    this.#wasServed ||= page !== undefined
    return page
  }
}
