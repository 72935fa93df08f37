import type { Cancel, Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import type { HostFiles, Watch } from '../host/host.ts'

export interface TrustWatchOptions {
  readonly files: HostFiles
  readonly clock: Clock
  readonly random: Random
  /** These may be different now; all may, if it is not known which. */
  readonly changed: (paths: readonly string[] | 'any') => void
}

/** Whoever replaces a file by hand does so in several steps. */
const settleMs = 100
/** Finds what no watch tells. */
const sweepMs = 3_600_000

/** Notices when somebody else changes what the trust lane wrote. Tells only that it may be so; others look. */
export class TrustWatch {
  readonly #options: TrustWatchOptions
  #watch: Watch | undefined
  #watched = ''
  #seen: Set<string> | 'any' = new Set()
  #cancelTelling: Cancel | undefined
  #cancelSweep: Cancel | undefined

  constructor(options: TrustWatchOptions) {
    this.#options = options
  }

  /** Watches these from now on, and no others. */
  arm(paths: readonly string[]): void {
    this.#cancelSweep ??= this.#nextSweep()
    const watched = JSON.stringify(paths)
    if (watched === this.#watched) return
    this.#watch?.close()
    this.#watched = watched
    this.#watch = this.#options.files.watch(paths, (path) => this.#changed(path))
  }

  close(): void {
    this.#watch?.close()
    this.#cancelTelling?.()
    this.#cancelSweep?.()
  }

  #changed(path: string | undefined): void {
    if (path === undefined) this.#seen = 'any'
    else if (this.#seen !== 'any') this.#seen.add(path)
    // Not put off by further changes: somebody may never stop.
    this.#cancelTelling ??= this.#options.clock.after(settleMs, () => {
      this.#cancelTelling = undefined
      const seen = this.#seen
      this.#seen = new Set()
      this.#options.changed(seen === 'any' ? seen : [...seen])
    })
  }

  #nextSweep(): Cancel {
    const { clock, random, changed } = this.#options
    return clock.after(jitter(random, sweepMs, 0.2), () => {
      this.#cancelSweep = this.#nextSweep()
      changed('any')
    })
  }
}
