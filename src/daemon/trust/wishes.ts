import type { ControllerConfig } from '../../api/resources.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { isOlder } from '@machinist/kube/informer/version-order'
import type { ConfigSource, SeenConfig } from './followed-config.ts'
import type { ItemHandler } from './item.ts'
import type { ReadConfig, Wanted } from './wanted.ts'
import { digestsIn, wantedBy } from './wanted.ts'

export interface WishesOptions {
  readonly config: ConfigSource
  readonly handlers: readonly ItemHandler[]
  readonly clock: Clock
  readonly log: Logger
}

/** A watch is never further behind than this. */
const aheadMs = 60_000

/** What the cluster wants, as far as this node has heard or read it. */
export class Wishes {
  readonly #options: WishesOptions
  #read: ReadConfig | undefined
  /** What was asked a moment ago may be newer than what the watch has told. */
  #asked: { readonly seen: SeenConfig; readonly at: number } | undefined
  /** Something that is to be asked elsewhere was not answered. */
  #isPartial = false

  constructor(options: WishesOptions) {
    this.#options = options
  }

  /** Undefined: there is no ControllerConfig. */
  seen(): SeenConfig | undefined {
    const { config, clock } = this.#options
    const seen = config.seen()
    if (!seen) return undefined
    const { seen: asked, at } = this.#asked ?? { seen, at: 0 }
    const isAhead =
      seen.uid === asked.uid &&
      isOlder(seen.version, asked.version) === true &&
      clock.elapsed() - at < aheadMs
    if (isAhead) return asked
    const read = this.#read
    // The pulse is over: the next one says something new.
    if (read && !seen.rotates) this.#read = { ...read, seen: { ...read.seen, rotates: false } }
    return seen
  }

  /** A list begun at `begunAt` is newer than every answer of before, also if its version is older: etcd was restored. */
  relisted(begunAt: number): void {
    if (this.#asked && this.#asked.at < begunAt) this.#asked = undefined
  }

  wanted(seen: SeenConfig): Wanted {
    return wantedBy(seen, this.#read)
  }

  /** Asks for no more than what is to be seen. */
  async ask(signal: AbortSignal): Promise<Wanted | undefined> {
    const { config, clock } = this.#options
    const seen = await config.ask(signal)
    if (seen) this.#asked = { seen, at: clock.elapsed() }
    return seen && this.wanted(seen)
  }

  async read(signal: AbortSignal): Promise<ControllerConfig> {
    const { config, clock } = this.#options
    const payload = await config.read(signal)
    const seen = config.seenIn(payload)
    this.#read = { seen, digests: digestsIn(payload, await this.#apiServerCA(seen, signal)) }
    this.#asked = { seen, at: clock.elapsed() }
    return payload
  }

  /** Whether not everything could be read that is to be read; tells it once, and then it is to be read again. */
  forgetPartial(): boolean {
    const wasPartial = this.#isPartial
    if (wasPartial) this.#read = undefined
    this.#isPartial = false
    return wasPartial
  }

  /** Where no digests are said, its own object has to be asked. That it does not answer is no concern of the others. */
  async #apiServerCA({ said }: SeenConfig, signal: AbortSignal): Promise<string | undefined> {
    const { handlers, log } = this.#options
    const item = trustItems.apiServerCA
    if (said !== undefined) return readTrustDigests(said)?.[item]
    try {
      return await handlers.find((each) => each.item === item)?.given?.(signal)
    } catch (error) {
      if (signal.aborted) throw error
      log.error('cannot read what the cluster wants', error, { item })
      this.#isPartial = true
      return this.#read?.digests[item]
    }
  }
}
