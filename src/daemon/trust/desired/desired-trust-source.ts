import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { isOlder } from '@machinist/kube/informer/version-order'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import { readTrustDigests } from '../../../api/trust/digests.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { ItemHandler } from '../items/item.ts'
import type { ConfigSource, ObservedConfig } from './followed-config.ts'
import type { FetchedConfig, DesiredTrust } from './desired-trust.ts'
import { digestsIn, desiredTrustOf } from './desired-trust.ts'

export interface DesiredTrustSourceOptions {
  readonly config: ConfigSource
  readonly clock: Clock
  readonly log: Logger
}

/** The watch is never further behind than this. */
const maxWatchLagMs = 60_000

/** The desired trust, from the watch of the ControllerConfig and from reads of it. */
export class DesiredTrustSource {
  readonly #options: DesiredTrustSourceOptions
  #fetched: FetchedConfig | undefined
  /** The last read; it may be newer than the state of the watch. */
  #latest: { readonly observed: ObservedConfig; readonly at: number } | undefined
  /** The digest of another source could not be read. */
  #isPartial = false

  constructor(options: DesiredTrustSourceOptions) {
    this.#options = options
  }

  /** Undefined: the ControllerConfig does not exist. */
  observed(): ObservedConfig | undefined {
    const { config, clock } = this.#options
    const watched = config.observed()
    if (!watched) return undefined
    const { observed: latest, at } = this.#latest ?? { observed: watched, at: 0 }
    const isAhead =
      watched.uid === latest.uid &&
      isOlder(watched.version, latest.version) === true &&
      clock.elapsed() - at < maxWatchLagMs
    if (isAhead) return latest
    const fetched = this.#fetched
    // The pulse is over, so the next one announces another rotation.
    if (fetched && !watched.isRotating) {
      this.#fetched = { ...fetched, observed: { ...fetched.observed, isRotating: false } }
    }
    return watched
  }

  /** A list begun at `begunAt` is newer than every earlier read, even if its version is older: etcd was restored. */
  relisted(begunAt: number): void {
    if (this.#latest && this.#latest.at < begunAt) this.#latest = undefined
  }

  desired(observed: ObservedConfig): DesiredTrust {
    return desiredTrustOf(observed, this.#fetched)
  }

  /** The trust that a payload specifies. */
  desiredIn(payload: ControllerConfig): DesiredTrust {
    return this.desired(this.#options.config.observedIn(payload))
  }

  /** Reads only the metadata of the ControllerConfig. */
  async refresh(signal: AbortSignal): Promise<DesiredTrust | undefined> {
    const { config, clock } = this.#options
    const observed = await config.fetchObserved(signal)
    if (observed) this.#latest = { observed, at: clock.elapsed() }
    return observed && this.desired(observed)
  }

  /** Reads the ControllerConfig, and the sources of items that are not part of it. */
  async fetch(handlers: readonly ItemHandler[], signal: AbortSignal): Promise<ControllerConfig> {
    const { config, clock } = this.#options
    const payload = await config.fetch(signal)
    const observed = config.observedIn(payload)
    const apiServerCA = await this.#apiServerCA(handlers, observed, signal)
    this.#fetched = { observed, digests: digestsIn(payload, apiServerCA) }
    this.#latest = { observed, at: clock.elapsed() }
    return payload
  }

  /** Whether a digest could not be read; if so, resets the state so that the next pass reads it again. */
  forgetPartial(): boolean {
    const wasPartial = this.#isPartial
    if (wasPartial) this.#fetched = undefined
    this.#isPartial = false
    return wasPartial
  }

  /** Without a digests annotation, reads the source of the API server's CA. A failure does not affect other items. */
  async #apiServerCA(
    handlers: readonly ItemHandler[],
    { digestsAnnotation }: ObservedConfig,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { log } = this.#options
    const item = trustItems.apiServerCA
    if (digestsAnnotation !== undefined) return readTrustDigests(digestsAnnotation)?.[item]
    try {
      return await handlers.find((each) => each.item === item)?.sourceDigest?.(signal)
    } catch (error) {
      if (signal.aborted) throw error
      log.error('cannot read the source of the item', error, { item })
      this.#isPartial = true
      return this.#fetched?.digests[item]
    }
  }
}
