import type { Cancel, Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import type { HostFiles, Watch } from '../host/host.ts'

export interface TrustWatchOptions {
  readonly files: HostFiles
  readonly clock: Clock
  readonly random: Random
}

/** Receives the paths that may have changed; `any` if they are unknown. */
type PathsChanged = (paths: readonly string[] | 'any') => void

/** Covers tools that replace a file in several steps. */
const settleMs = 100
/** Interval of the sweep that finds what no watch event announces. */
const sweepMs = 3_600_000

/** Watches the files of the trust lane. Reports only that a file may have changed; the lane reads it. */
export class TrustWatch {
  readonly #options: TrustWatchOptions
  #report: PathsChanged = () => {}
  #watch: Watch | undefined
  #watched = ''
  #changedPaths: Set<string> | 'any' = new Set()
  #cancelNotification: Cancel | undefined
  #cancelSweep: Cancel | undefined

  constructor(options: TrustWatchOptions) {
    this.#options = options
  }

  /** Returns a function that ends the watch. */
  subscribe(changed: PathsChanged): () => void {
    this.#report = changed
    return () => this.#close()
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

  #close(): void {
    this.#watch?.close()
    this.#cancelNotification?.()
    this.#cancelSweep?.()
  }

  #changed(path: string | undefined): void {
    if (path === undefined) this.#changedPaths = 'any'
    else if (this.#changedPaths !== 'any') this.#changedPaths.add(path)
    // Further changes do not postpone it: another writer may never stop.
    this.#cancelNotification ??= this.#options.clock.after(settleMs, () => {
      this.#cancelNotification = undefined
      const paths = this.#changedPaths
      this.#changedPaths = new Set()
      this.#report(paths === 'any' ? paths : [...paths])
    })
  }

  #nextSweep(): Cancel {
    const { clock, random } = this.#options
    return clock.after(jitter(random, sweepMs, 0.2), () => {
      this.#cancelSweep = this.#nextSweep()
      this.#report('any')
    })
  }
}
