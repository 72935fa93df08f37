import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Cancel, Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import type { HostFiles, Watch } from '../host/host.ts'
import type { Exceptions } from './exceptions.ts'
import { pathsOf } from './watched-paths.ts'

export interface DriftWatchOptions {
  readonly files: HostFiles
  readonly clock: Clock
  readonly random: Random
  readonly exceptions: Exceptions
  /** Something may be different: look again. */
  readonly changed: () => void
  /** The force file came or went. */
  readonly forced: () => void
  readonly sweepMs?: number
}

/**
 * Whoever replaces a file by hand does so in several steps. Who writes again and again is looked at more and more seldom, so
 * that neither looking nor healing becomes a contest.
 */
const pause: BackoffPolicy = { firstMs: 100, maxMs: 60_000, factor: 2, jitter: 0 }
/** After this long without a change it was no contest. */
const calmMs = 5 * 60_000
/** Finds what no watch tells: lost events, directories that came anew. */
const usualSweepMs = 30 * 60_000

/** Notices when a file of the config is no longer what it was. Tells only that it may be so; others look. */
export class DriftWatch {
  readonly #options: DriftWatchOptions
  #watch: Watch | undefined
  #cancelSweep: Cancel | undefined
  #cancelTelling: Cancel | undefined
  #tellings = 0
  #lastSeen = -Infinity

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Called after each look at the disk, so that directories which were replaced are watched again. */
  arm(config: MachineConfig): void {
    this.pause()
    const { files, clock, random, exceptions, sweepMs = usualSweepMs } = this.#options
    const paths = pathsOf(config).filter((path) => !exceptions.has(path))
    this.#watch = files.watch([...paths, nodePaths.force], (path) => this.#seen(path))
    this.#cancelSweep = clock.after(jitter(random, sweepMs, 0.2), () => this.#options.changed())
  }

  /** While the daemon itself writes. */
  pause(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#cancelSweep?.()
    this.#cancelTelling?.()
    this.#cancelTelling = undefined
  }

  #seen(path: string | undefined): void {
    const { clock, random, changed, forced } = this.#options
    if (path === nodePaths.force) return forced()
    const now = clock.elapsed()
    if (now - this.#lastSeen > calmMs) this.#tellings = 0
    this.#lastSeen = now
    this.#cancelTelling ??= clock.after(backoffDelay(pause, this.#tellings, random), () => {
      this.#cancelTelling = undefined
      this.#tellings++
      changed()
    })
  }
}
