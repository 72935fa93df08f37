import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Cancel, Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { HostFiles, Watch } from '../host/host.ts'
import type { DriftExceptions } from './exceptions.ts'
import { watchedPaths } from './watched-paths.ts'

export interface DriftWatchOptions {
  readonly files: HostFiles
  readonly clock: Clock
  readonly random: Random
  readonly exceptions: DriftExceptions
  /** A watched file may have changed. */
  readonly changed: () => void
  /** The force file was created or removed. */
  readonly forced: () => void
  readonly sweepMs?: number
}

/**
 * The first delay covers tools that replace a file in several steps. Back off when another writer keeps changing a file, so
 * that neither verification nor healing runs in a loop.
 */
const pause: BackoffPolicy = { firstMs: 100, maxMs: 60_000, factor: 2, jitter: 0 }
/** After this long without a change, the back-off starts over. */
const calmMs = 5 * 60_000
/** Interval of the verification that finds what no watch event announces: lost events, recreated directories. */
const defaultSweepMs = 30 * 60_000

/** Watches the files of the config. Reports only that a file may have changed; the config lane verifies the disk. */
export class DriftWatch {
  readonly #options: DriftWatchOptions
  #watch: Watch | undefined
  #cancelSweep: Cancel | undefined
  #cancelNotification: Cancel | undefined
  #notifications = 0
  #lastChange = -Infinity

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Called before each verification, so that replaced directories are watched again. */
  arm(config: MachineConfig): void {
    this.pause()
    const { files, clock, random, exceptions, sweepMs = defaultSweepMs } = this.#options
    const paths = watchedPaths(config).filter((path) => !exceptions.has(path))
    this.#watch = files.watch([...paths, nodePaths.force], (path) => this.#onChange(path))
    this.#cancelSweep = clock.after(jitter(random, sweepMs, 0.2), () => this.#options.changed())
  }

  /** Stops watching while the daemon itself writes. */
  pause(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#cancelSweep?.()
    this.#cancelNotification?.()
    this.#cancelNotification = undefined
  }

  #onChange(path: string | undefined): void {
    const { clock, random, changed, forced } = this.#options
    if (path === nodePaths.force) return forced()
    const now = clock.elapsed()
    if (now - this.#lastChange > calmMs) this.#notifications = 0
    this.#lastChange = now
    this.#cancelNotification ??= clock.after(
      backoffDelay(pause, this.#notifications, random),
      () => {
        this.#cancelNotification = undefined
        this.#notifications++
        changed()
      },
    )
  }
}
