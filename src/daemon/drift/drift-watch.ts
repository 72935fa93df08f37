import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Cancel, Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { jitter } from '../../base/random.ts'
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

/** Whoever replaces a file by hand does so in several steps. */
const settleMs = 100
/** Finds what no watch tells: lost events, directories that came anew. */
const usualSweepMs = 30 * 60_000

/** Notices when a file of the config is no longer what it was. Tells only that it may be so; others look. */
export class DriftWatch {
  readonly #options: DriftWatchOptions
  #watch: Watch | undefined
  #cancelSweep: Cancel | undefined
  #cancelTelling: Cancel | undefined

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Called after each look at the disk, so that directories which were replaced are watched again. */
  arm(config: MachineConfig): void {
    this.pause()
    const { files, clock, random, exceptions, sweepMs = usualSweepMs } = this.#options
    const paths = pathsOf(config).filter((path) => !exceptions.covers(path))
    this.#watch = files.watch([...paths, nodePaths.force], (path) => this.#seen(path))
    this.#cancelSweep = clock.after(jitter(random, sweepMs, 0.2), () => this.#options.changed())
  }

  /** While the daemon itself writes. */
  pause(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#cancelSweep?.()
    this.#cancelTelling?.()
  }

  #seen(path: string | undefined): void {
    const { clock, changed, forced } = this.#options
    if (path === nodePaths.force) return forced()
    this.#cancelTelling?.()
    this.#cancelTelling = clock.after(settleMs, changed)
  }
}
