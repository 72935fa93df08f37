import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { NotWritten } from './not-written.ts'

export interface DiskHealthOptions {
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
  /** Writes without changing data, in the same way as objects are written. */
  readonly tryWrite: () => void
}

/** Less free space than this counts as full. */
const probeBytes = 256 * 1024
const pauseMs = 5000

/** Remembers that writes fail, and probes until they succeed again: an unready server receives no writes. */
export class DiskHealth {
  readonly #options: DiskHealthOptions
  #problem: string | undefined
  #triedAt = 0

  constructor(options: DiskHealthOptions) {
    this.#options = options
  }

  /** Records a failed commit. */
  failed(error: unknown): void {
    if (!(error instanceof NotWritten)) return
    this.#problem = error.message
    this.#triedAt = this.#options.clock.elapsed()
  }

  problem(): string | undefined {
    const { clock, log } = this.#options
    if (this.#problem === undefined || clock.elapsed() - this.#triedAt < pauseMs) {
      return this.#problem
    }
    this.#triedAt = clock.elapsed()
    if (this.#isOver()) {
      this.#problem = undefined
      log.info('the disk accepts writes again')
    }
    return this.#problem
  }

  #isOver(): boolean {
    const { directory, tryWrite } = this.#options
    const path = join(directory, 'probe')
    try {
      const file = openSync(path, 'w', 0o600)
      try {
        const bytes = Buffer.alloc(probeBytes)
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      tryWrite()
      return true
    } catch {
      return false
    } finally {
      rmSync(path, { force: true })
    }
  }
}
