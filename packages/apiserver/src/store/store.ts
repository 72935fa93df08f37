/** One object as it is stored. Values are JSON texts without resourceVersion, which is the revision. */
export interface Stored {
  readonly key: string
  readonly value: string
  /** The revision of its last change. */
  readonly revision: number
}

/** One change, in the order of revisions; every write is exactly one. */
export interface StoreChange {
  readonly revision: number
  readonly key: string
  /** Absent: the object was removed. */
  readonly value?: string
  /** What was there before; absent for a new object. */
  readonly before?: Stored
}

/** The key changed since `expected` was read, or it is not there (any more), or is there already. */
export class WriteConflict extends Error {
  readonly key: string
  /** What is there now. */
  readonly present: Stored | undefined

  constructor(key: string, present: Stored | undefined) {
    super(`${key} is not at the expected revision`)
    this.name = 'WriteConflict'
    this.key = key
    this.present = present
  }
}

/** The revision asked for is older than what is kept. */
export class Compacted extends Error {
  readonly oldest: number

  constructor(oldest: number) {
    super(`revisions before ${oldest} are no longer kept`)
    this.name = 'Compacted'
    this.oldest = oldest
  }
}

export interface StoreRange {
  /** Only keys that begin with this. */
  readonly prefix: string
  /** Only keys after this one. */
  readonly after?: string
  readonly limit?: number
  /** As of this revision; the newest where absent. */
  readonly revision?: number
}

/**
 * Objects by key, with one revision counter for all. A write that has resolved is on disk. Reads see every write that
 * has resolved, and subscribers hear of each write before it resolves, in order.
 */
export interface Store {
  /** The newest revision: 1 for an empty store, so that 0 can mean none. */
  readonly revision: number
  /** The oldest revision that can still be read as of. */
  readonly oldest: number
  /** What it takes on disk; of the twin in memory, the length of what it holds. */
  readonly bytes: number
  /** Why the last write was not taken by the disk, as long as that is so; undefined: writes work. Tries again now and then. */
  writeProblem(): string | undefined
  get(key: string): Stored | undefined
  /** In the order of keys. Throws Compacted. */
  range(range: StoreRange): Stored[]
  /** How many keys there are after the range's last one. */
  count(range: Omit<StoreRange, 'limit'>): number
  /** Creates (`expected` 0) or replaces (`expected` is the revision that was read). Throws WriteConflict. */
  write(key: string, value: string, expected: number): Promise<Stored>
  remove(key: string, expected: number): Promise<{ readonly revision: number }>
  /** The changes after `revision`, oldest first; all of them, or the first `limit`. Throws Compacted. */
  changesSince(revision: number, limit?: number): StoreChange[]
  subscribe(hear: (change: StoreChange) => void): () => void
  /** Forgets what is only needed to read as of revisions before this one. */
  compact(revision: number): Promise<void>
  close(): Promise<void>
}
