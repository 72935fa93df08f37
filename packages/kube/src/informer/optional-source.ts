import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import { ApiFailure, ifThere } from '../failure.ts'
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

  /** Whether the kind was served when it was last listed: then what is not there was never made, or was removed. */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Whether it was served before and is not now, or has not been listed since. Then nobody knows what became of its objects. */
  get isLost(): boolean {
    return this.#isLost
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<Page<T>> {
    const page = await this.#ask(options, signal)
    if (!page) {
      this.#isLost ||= this.#isServed || options.continue !== undefined
      this.#isServed = false
      return { items: [], resourceVersion: notServed }
    }
    if (!page.continue) {
      this.#isServed = true
      this.#isLost = false
    }
    return page
  }

  async *watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    if (options.resourceVersion !== notServed) {
      yield* this.#source.watch(options, signal)
      return
    }
    await sleep(this.#clock, lookAgainMs, signal)
    if (signal.aborted) return
    if (!(await this.#ask({ limit: 1 }, signal))) return
    const asked = { method: 'GET', path: 'a kind that is served now' }
    throw new ApiFailure(asked, 410, { reason: 'Expired', message: 'it has to be listed' })
  }

  async #ask(options: ListOptions, signal: AbortSignal): Promise<Page<T> | undefined> {
    const page = await ifThere(this.#source.list(options, signal))
    this.#wasServed ||= page !== undefined
    return page
  }
}
