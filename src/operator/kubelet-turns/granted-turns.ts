import type { NodeTrust } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { isOlder } from '@machinist/kube/informer/version-order'

/** A watch is never further behind than this. */
const behindMs = 60_000

/** Which turns are granted, as far as this operator has written or seen it. */
export class GrantedTurns {
  readonly #clock: Clock
  /** What the server answered to our last write: newer than what the watch has brought, for a moment. */
  readonly #written = new Map<string, NodeTrust>()
  /** Grants without an answer: they count until the watch has brought what became of them. */
  readonly #unsure = new Map<string, { readonly version?: string; readonly at: number }>()
  /** Since when a grant, or its start, is known by this process's own clock: no wall clock takes a turn away. */
  readonly #since = new Map<string, { readonly step: string; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  wrote(trust: NodeTrust): void {
    this.#written.set(trust.metadata.name, trust)
  }

  mayBeGranted({ metadata: { name, resourceVersion } }: Readonly<NodeTrust>): void {
    const version = resourceVersion !== undefined && { version: resourceVersion }
    this.#unsure.set(name, { ...version, at: this.#clock.elapsed() })
  }

  newest(cached: Readonly<NodeTrust>): Readonly<NodeTrust> {
    const { name, uid, resourceVersion } = cached.metadata
    const written = this.#written.get(name)
    if (!written) return cached
    const isAhead =
      written.metadata.uid === uid &&
      isOlder(resourceVersion, written.metadata.resourceVersion) === true
    if (isAhead) return written
    this.#written.delete(name)
    return cached
  }

  /** For how long the turn is granted, or has been in use since the node began; undefined: it is not granted. */
  heldMs(trust: Readonly<NodeTrust>): number | undefined {
    const { name } = trust.metadata
    const step = stepOf(trust)
    const isUnsure = this.#isUnsure(trust)
    if (step === undefined) {
      this.#since.delete(name)
      return isUnsure ? 0 : undefined
    }
    const now = this.#clock.elapsed()
    const known = this.#since.get(name)
    if (known?.step === step) return now - known.at
    this.#since.set(name, { step, at: now })
    return 0
  }

  /** Whether a grant without an answer may have been stored all the same. */
  #isUnsure({ metadata: { name, resourceVersion } }: Readonly<NodeTrust>): boolean {
    const unsure = this.#unsure.get(name)
    if (!unsure) return false
    const isSame = unsure.version === resourceVersion
    const isUnsure = isSame && this.#clock.elapsed() - unsure.at < behindMs
    if (!isUnsure) this.#unsure.delete(name)
    return isUnsure
  }
}

/** A granted turn before and after its start. A machine that was suspended may begin late: its restart gets the whole time. */
function stepOf({ spec, status }: Readonly<NodeTrust>): string | undefined {
  const grantedAt = spec?.kubeletRestart?.grantedAt
  return grantedAt && `${grantedAt} ${status?.kubeletRestart?.startedAt ?? ''}`
}
