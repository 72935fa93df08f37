import type { Clock } from '@machinist/core/clock'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import type { NodeTrust } from '../../api/kinds/resources.ts'

/** The maximum delay of a watch. */
const maxWatchDelayMs = 60_000

/** The granted turns, including writes that the cache does not contain yet. */
export class GrantedTurns {
  readonly #clock: Clock
  readonly #written: OwnWrites<NodeTrust>
  /** Grants without a response: they count until the watch shows their result. */
  readonly #uncertain = new Map<string, { readonly version?: string; readonly at: number }>()
  /** Since when a grant, or its start, is known, by the monotonic clock of this process: wall clocks do not withdraw turns. */
  readonly #since = new Map<string, { readonly step: string; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#written = new OwnWrites(clock)
  }

  wrote(trust: NodeTrust): void {
    this.#written.remember(trust)
  }

  /** The grant of a NodeTrust with this resourceVersion got no response. */
  mayBeGranted(name: string, version: string | undefined): void {
    const at = this.#clock.elapsed()
    this.#uncertain.set(name, { ...(version !== undefined && { version }), at })
  }

  newest(cached: Readonly<NodeTrust>): Readonly<NodeTrust> {
    return this.#written.newest(cached.metadata.name, cached) ?? cached
  }

  /** How long the turn has been granted, or in use since its start; undefined if it is not granted. */
  heldMs(trust: Readonly<NodeTrust>): number | undefined {
    const { name } = trust.metadata
    const step = stepOf(trust)
    const isUncertain = this.#isUncertain(trust)
    if (step === undefined) {
      this.#since.delete(name)
      return isUncertain ? 0 : undefined
    }
    const now = this.#clock.elapsed()
    const known = this.#since.get(name)
    if (known?.step === step) return now - known.at
    this.#since.set(name, { step, at: now })
    return 0
  }

  /** Whether a grant without a response may have been stored. */
  #isUncertain({ metadata: { name, resourceVersion } }: Readonly<NodeTrust>): boolean {
    const uncertain = this.#uncertain.get(name)
    if (!uncertain) return false
    const isSame = uncertain.version === resourceVersion
    const isUncertain = isSame && this.#clock.elapsed() - uncertain.at < maxWatchDelayMs
    if (!isUncertain) this.#uncertain.delete(name)
    return isUncertain
  }
}

/** Distinguishes a granted turn before and after its start: a suspended machine may start late, and its restart gets the full time. */
function stepOf({ spec, status }: Readonly<NodeTrust>): string | undefined {
  const grantedAt = spec?.kubeletRestart?.grantedAt
  return grantedAt && `${grantedAt} ${status?.kubeletRestart?.startedAt ?? ''}`
}
