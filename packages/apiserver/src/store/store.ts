/** A stored object. Values are JSON without resourceVersion, which is the revision. */
export interface Stored {
  readonly key: string
  readonly value: string
  /** Revision of the last change. */
  readonly revision: number
}

/** A change; every write is exactly one revision. */
export interface StoreChange {
  readonly revision: number
  readonly key: string
  /** Absent: the object was removed. */
  readonly value?: string
  /** The previous state; absent for a new object. */
  readonly before?: Stored
}

/** The key has changed since `expected`, does not exist, or exists already. */
export class WriteConflict extends Error {
  readonly key: string
  /** The current state. */
  readonly present: Stored | undefined

  constructor(key: string, present: Stored | undefined) {
    super(`${key} is not at the expected revision`)
    this.name = 'WriteConflict'
    this.key = key
    this.present = present
  }
}

/** The requested revision has been compacted. */
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
  /** At this revision; default: the newest. */
  readonly revision?: number
}

/**
 * Objects by key, with one revision counter. A resolved write is durable. Reads see all resolved writes, and
 * subscribers receive each change before its write resolves, in order.
 */
export interface Store {
  /** The newest revision: 1 for an empty store, so that 0 can mean none. */
  readonly revision: number
  /** The oldest readable revision. */
  readonly oldest: number
  /** Size on disk; for the in-memory store, the length of its content. */
  readonly bytes: number
  /** Why the disk did not accept the last write; undefined if writes work. Probes periodically. */
  writeProblem(): string | undefined
  get(key: string): Stored | undefined
  /** In key order. Throws Compacted. */
  range(range: StoreRange): Stored[]
  /** Number of keys in the range. */
  count(range: Omit<StoreRange, 'limit'>): number
  /** Creates (`expected` 0) or replaces (`expected` is the revision that was read). Throws WriteConflict. */
  write(key: string, value: string, expected: number): Promise<Stored>
  remove(key: string, expected: number): Promise<{ readonly revision: number }>
  /** Changes after `revision`, oldest first, at most `limit`. Throws Compacted. */
  changesSince(revision: number, limit?: number): StoreChange[]
  subscribe(listener: (change: StoreChange) => void): () => void
  /** Drops history before this revision. */
  compact(revision: number): Promise<void>
  close(): Promise<void>
}
