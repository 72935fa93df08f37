import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { HistoryPolicy } from './history.ts'
import { compactHistory } from './history.ts'
import { boundsOf, compareKeys } from './key-order.ts'
import type { Store, StoreChange, Stored, StoreRange } from './store.ts'
import { Compacted, WriteConflict } from './store.ts'
import type { Write } from './write-queue.ts'
import { WriteQueue } from './write-queue.ts'

export interface MemoryStoreOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly history?: HistoryPolicy
}

/** An in-memory store with the behaviour of the durable one, for simulations and short-lived servers. */
export class MemoryStore implements Store {
  readonly #queue: WriteQueue
  readonly #stopHistory: () => void
  /** The changes of each key, oldest first. Empty histories are removed. */
  readonly #histories = new Map<string, StoreChange[]>()
  /** Sorted keys of the histories. */
  readonly #keys: string[] = []
  #log: StoreChange[] = []
  #revision = 1
  #oldest = 1

  constructor({ clock, log, history }: MemoryStoreOptions) {
    const schedule = (): void => queueMicrotask(() => this.#queue.commitWaiting())
    this.#queue = new WriteQueue({ commit: (writes) => this.#commit(writes), schedule, log })
    this.#stopHistory = compactHistory(this, { clock, log, policy: history })
  }

  get revision(): number {
    return this.#revision
  }

  writeProblem(): undefined {
    return undefined
  }

  get oldest(): number {
    return this.#oldest
  }

  get bytes(): number {
    let bytes = 0
    for (const history of this.#histories.values()) {
      for (const { key, value = '' } of history) bytes += key.length + value.length
    }
    return bytes
  }

  get(key: string): Stored | undefined {
    return storedBy(this.#histories.get(key)?.at(-1))
  }

  range(range: StoreRange): Stored[] {
    const limit = range.limit ?? -1
    const found: Stored[] = []
    for (const stored of this.#walk(range)) {
      if (found.length === limit) break
      found.push(stored)
    }
    return found
  }

  count(range: Omit<StoreRange, 'limit'>): number {
    let count = 0
    for (const _ of this.#walk(range)) count++
    return count
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
    const first = firstWhere(this.#log, (change) => change.revision > revision)
    return this.#log.slice(first, limit === undefined ? undefined : first + limit)
  }

  subscribe(listener: (change: StoreChange) => void): () => void {
    return this.#queue.subscribe(listener)
  }

  async compact(revision: number): Promise<void> {
    const target = Math.min(revision, this.#revision)
    if (target <= this.#oldest) return
    this.#oldest = target
    const kept = firstWhere(this.#log, (change) => change.revision > target)
    const forgotten = this.#log.slice(0, kept)
    this.#log = this.#log.slice(kept)
    for (const key of new Set(forgotten.map(({ key }) => key))) this.#trim(key)
  }

  async close(): Promise<void> {
    this.#stopHistory()
    this.#queue.close()
  }

  #commit(writes: readonly Write[]): (StoreChange | WriteConflict)[] {
    return writes.map(({ key, value, expected }) => {
      const before = this.get(key)
      const isExpected = (before?.revision ?? 0) === expected
      if (!isExpected || (value === undefined && !before)) return new WriteConflict(key, before)
      const change = {
        revision: ++this.#revision,
        key,
        ...(value === undefined ? {} : { value }),
        ...(before ? { before } : {}),
      }
      this.#historyOf(key).push(change)
      this.#log.push(change)
      return change
    })
  }

  #historyOf(key: string): StoreChange[] {
    const known = this.#histories.get(key)
    if (known) return known
    const history: StoreChange[] = []
    this.#histories.set(key, history)
    this.#keys.splice(this.#place(key), 0, key)
    return history
  }

  /** Keeps the entry visible at the oldest revision and all later ones. */
  #trim(key: string): void {
    const history = this.#histories.get(key)!
    const later = firstWhere(history, ({ revision }) => revision > this.#oldest)
    const visible = history[later - 1]
    history.splice(0, visible?.value === undefined ? later : later - 1)
    if (history.length > 0) return
    this.#histories.delete(key)
    this.#keys.splice(this.#place(key), 1)
  }

  *#walk(range: StoreRange): Iterable<Stored> {
    const revision = range.revision ?? this.#revision
    if (revision < this.#oldest) throw new Compacted(this.#oldest)
    const { low, end } = boundsOf(range)
    for (let i = this.#place(low); i < this.#keys.length; i++) {
      const key = this.#keys[i]!
      if (compareKeys(key, end) >= 0) return
      const history = this.#histories.get(key)!
      const later = firstWhere(history, (change) => change.revision > revision)
      const stored = storedBy(history[later - 1])
      if (stored) yield stored
    }
  }

  /** The index of a key, or where it would be inserted. */
  #place(key: string): number {
    return firstWhere(this.#keys, (other) => compareKeys(other, key) >= 0)
  }
}

function storedBy(change: StoreChange | undefined): Stored | undefined {
  if (change?.value === undefined) return undefined
  return { key: change.key, value: change.value, revision: change.revision }
}

/** The first index of a sorted list at which `holds` is true. */
function firstWhere<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
