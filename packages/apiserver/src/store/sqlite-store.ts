import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { DiskHealth } from './disk-health.ts'
import type { DirectoryLock } from './directory-lock.ts'
import { lockDirectory } from './directory-lock.ts'
import type { HistoryPolicy } from './history.ts'
import { compactHistory } from './history.ts'
import { NextTurn } from './next-turn.ts'
import { asNotWritten } from './not-written.ts'
import { openDatabase, prepareDirectory, rejectDataLoss } from './sqlite-file.ts'
import { SqliteRows } from './sqlite-rows.ts'
import type { Store, StoreChange, Stored, StoreRange } from './store.ts'
import { Compacted, WriteConflict } from './store.ts'
import type { Write } from './write-queue.ts'
import { WriteQueue } from './write-queue.ts'

export interface SqliteStoreOptions {
  /** Created if it does not exist; used by one process at a time. */
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
  readonly history?: HistoryPolicy
  /**
   * A path that exists only if objects were stored before: if the database is missing, the directory is damaged and
   * not new.
   */
  readonly usedSince?: string
}

/** Opens the durable store of a data directory. Throws UnusableStore. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  prepareDirectory(options.directory)
  const lock = lockDirectory(options.directory)
  try {
    if (options.usedSince !== undefined) rejectDataLoss(options.directory, options.usedSince)
    return new SqliteStore(options, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Changes per compaction step. */
const stepSize = 500

class SqliteStore implements Store {
  readonly #lock: DirectoryLock
  readonly #rows: SqliteRows
  readonly #queue: WriteQueue
  readonly #commits: NextTurn
  readonly #stopHistory: () => void
  readonly #trouble: DiskHealth
  #revision: number
  #oldest: number
  #swept: number
  #compacting: Promise<void> = Promise.resolve()
  #closed = false

  constructor({ directory, clock, log, history }: SqliteStoreOptions, lock: DirectoryLock) {
    this.#lock = lock
    this.#rows = new SqliteRows(openDatabase(directory))
    const progress = this.#rows.progress()
    this.#revision = progress.revision
    this.#oldest = progress.oldest
    this.#swept = progress.swept
    this.#commits = new NextTurn(() => this.#queue.commitWaiting())
    const schedule = (): void => this.#commits.ask()
    const commit = (writes: readonly Write[]): (StoreChange | WriteConflict)[] => {
      try {
        return this.#commit(writes)
      } catch (error) {
        const failure = asNotWritten(error)
        this.#trouble.failed(failure)
        throw failure
      }
    }
    const tryWrite = (): void => this.#saveProgress(this.#swept)
    this.#trouble = new DiskHealth({ directory, clock, log, tryWrite })
    this.#queue = new WriteQueue({ commit, schedule, log })
    this.#stopHistory = compactHistory(this, { clock, log, policy: history })
  }

  get revision(): number {
    return this.#revision
  }

  get oldest(): number {
    return this.#oldest
  }

  get bytes(): number {
    return this.#rows.bytes()
  }

  writeProblem(): string | undefined {
    return this.#trouble.problem()
  }

  get(key: string): Stored | undefined {
    return this.#rows.get(key)
  }

  range(range: StoreRange): Stored[] {
    return this.#rows.range(this.#asKept(range))
  }

  count(range: Omit<StoreRange, 'limit'>): number {
    return this.#rows.count(this.#asKept(range))
  }

  async write(key: string, value: string, expected: number): Promise<Stored> {
    const { revision } = await this.#queue.add({ key, value, expected })
    return { key, value, revision }
  }

  async remove(key: string, expected: number): Promise<{ readonly revision: number }> {
    const { revision } = await this.#queue.add({ key, expected })
    return { revision }
  }

  changesSince(revision: number, limit?: number): StoreChange[] {
    if (revision < this.#oldest) throw new Compacted(this.#oldest)
    return this.#rows.changesSince(revision, limit)
  }

  subscribe(listener: (change: StoreChange) => void): () => void {
    return this.#queue.subscribe(listener)
  }

  /** Sequential and in steps, so that reads and writes can run in between. */
  compact(revision: number): Promise<void> {
    const done = this.#compacting.then(() => this.#compact(revision))
    this.#compacting = done.catch(() => {})
    return done
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#stopHistory()
    this.#queue.close()
    await this.#compacting
    this.#commits.close()
    this.#rows.close()
    this.#lock.release()
  }

  #commit(writes: readonly Write[]): (StoreChange | WriteConflict)[] {
    let revision = this.#revision
    const outcomes = this.#rows.transaction(() =>
      writes.map(({ key, value, expected }) => {
        const before = this.#rows.get(key)
        const isExpected = (before?.revision ?? 0) === expected
        if (!isExpected || (value === undefined && !before)) return new WriteConflict(key, before)
        revision++
        this.#rows.append(revision, key, value, expected)
        return {
          revision,
          key,
          ...(value === undefined ? {} : { value }),
          ...(before ? { before } : {}),
        }
      }),
    )
    this.#revision = revision
    return outcomes
  }

  async #compact(revision: number): Promise<void> {
    const target = Math.min(revision, this.#revision)
    if (target > this.#oldest) {
      // Set first, so that no read sees a partially removed revision.
      this.#oldest = target
      this.#saveProgress(this.#swept)
    }
    while (this.#swept < this.#oldest && !this.#closed) {
      const to = Math.min(this.#swept + stepSize, this.#oldest)
      this.#rows.transaction(() => {
        this.#rows.sweep(this.#swept, to)
        this.#rows.saveProgress({ revision: this.#revision, oldest: this.#oldest, swept: to })
      })
      this.#swept = to
      await oneTurn()
    }
  }

  /** Also saves the newest revision: its row may be a removal, which compaction deletes. */
  #saveProgress(swept: number): void {
    this.#rows.saveProgress({ revision: this.#revision, oldest: this.#oldest, swept })
  }

  /** Omits the revision if it is the newest. */
  #asKept<R extends Omit<StoreRange, 'limit'>>(range: R): R {
    if (range.revision === undefined || range.revision >= this.#revision) {
      return { ...range, revision: undefined }
    }
    if (range.revision < this.#oldest) throw new Compacted(this.#oldest)
    return range
  }
}

function oneTurn(): Promise<void> {
  return new Promise((resolve) => {
    const turn = new NextTurn(() => {
      turn.close()
      resolve()
    })
    turn.ask()
  })
}
