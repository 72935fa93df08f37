import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { NotWritten } from './not-written.ts'

export interface DiskTroubleOptions {
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
  /** Writes something that changes nothing, in the way in which objects are written. */
  readonly tryWrite: () => void
}

/** Room for less than this is as good as none. */
const probeBytes = 256 * 1024
const pauseMs = 5000

/** Remembers that the disk takes no writes, until it does: also when nobody writes any more, because the server is not ready. */
export class DiskTrouble {
  readonly #options: DiskTroubleOptions
  #problem: string | undefined
  #triedAt = 0

  constructor(options: DiskTroubleOptions) {
    this.#options = options
  }

  /** A commit failed with this. */
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
      log.info('the disk takes writes again')
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
