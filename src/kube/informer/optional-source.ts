import type { Clock } from '../../base/clock.ts'
import { sleep } from '../../base/clock.ts'
import type { KubeObject } from '../../base/resource.ts'
import { ApiFailure, isNotFound } from '../failure.ts'
import type { ListOptions, ListWatch, Page, WatchEvent, WatchOptions } from '../list-watch.ts'

/** How often to look whether somebody has installed the kind since. */
const lookAgainMs = 60_000
/** A version that no server gives. */
const notServed = ''

/**
 * A kind that not every cluster has. Where it is not served there are simply no objects of it, and whoever follows it is
 * in sync; when it is installed later, its objects come.
 */
export class OptionalSource<T extends KubeObject> implements ListWatch<T> {
  readonly #source: ListWatch<T>
  readonly #clock: Clock
  #isServed = false
  #isLost = false

  constructor(source: ListWatch<T>, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  /** Whether the kind was served when it was last listed: then what is not there was never made, or was removed. */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Whether it was served before and is not now. Then nobody knows what became of its objects. */
  get isLost(): boolean {
    return this.#isLost
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<Page<T>> {
    try {
      const page = await this.#source.list(options, signal)
      this.#isServed = true
      this.#isLost = false
      return page
    } catch (error) {
      if (!isNotFound(error)) throw error
      this.#isLost ||= this.#isServed
      this.#isServed = false
      return { items: [], resourceVersion: notServed }
    }
  }

  async *watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    if (options.resourceVersion !== notServed) {
      yield* this.#source.watch(options, signal)
      return
    }
    await sleep(this.#clock, lookAgainMs, signal)
    if (signal.aborted) return
    const { resourceVersion } = await this.list({ limit: 1 }, signal)
    if (resourceVersion === notServed) return
    const asked = { method: 'GET', path: 'a kind that is served now' }
    throw new ApiFailure(asked, 410, { reason: 'Expired', message: 'it has to be listed' })
  }
}
