import type { Logger } from '@machinist/core/log'
import type { StoreChange } from './store.ts'
import { WriteConflict } from './store.ts'

export interface Write {
  readonly key: string
  /** Absent: remove. */
  readonly value?: string
  readonly expected: number
}

interface Waiting extends Write {
  readonly resolve: (change: StoreChange) => void
  readonly reject: (why: unknown) => void
}

export interface WriteQueueOptions {
  /** Performs the writes in order, each with its precondition, in one commit. Throws if none was performed. */
  readonly commit: (writes: readonly Write[]) => (StoreChange | WriteConflict)[]
  /** Schedules a call of `commitWaiting`. */
  readonly schedule: () => void
  readonly log: Logger
}

/** Larger commits would block the event loop. */
const maxBatch = 500

/** Group commit: pending writes share the next commit; then listeners are notified, then writers. */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #listeners = new Set<(change: StoreChange) => void>()
  #waiting: Waiting[] = []
  #closed = false

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  add(write: Write): Promise<StoreChange> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error(`the store is closed: ${write.key} is not written`))
      this.#waiting.push({ ...write, resolve, reject })
      if (this.#waiting.length === 1) this.#options.schedule()
    })
  }

  subscribe(onChange: (change: StoreChange) => void): () => void {
    // A new function, so that subscribing twice notifies twice.
    const listener = (change: StoreChange): void => onChange(change)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  commitWaiting(): void {
    const batch = this.#waiting.slice(0, maxBatch)
    this.#waiting = this.#waiting.slice(maxBatch)
    if (this.#waiting.length > 0) this.#options.schedule()
    if (batch.length === 0) return
    const outcomes = this.#commit(batch)
    for (const outcome of outcomes) {
      if (!(outcome instanceof WriteConflict)) this.#notify(outcome)
    }
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof WriteConflict) batch[i]!.reject(outcome)
      else batch[i]!.resolve(outcome)
    }
  }

  /** Rejects further writes and commits pending ones. */
  close(): void {
    this.#closed = true
    while (this.#waiting.length > 0) this.commitWaiting()
  }

  #commit(batch: readonly Waiting[]): (StoreChange | WriteConflict)[] {
    try {
      return this.#options.commit(batch)
    } catch (error) {
      this.#options.log.error('commit failed', error, { writes: batch.length })
      for (const { reject } of batch) reject(error)
      return []
    }
  }

  /** A failing listener must not fail a durable write or affect other listeners. */
  #notify(change: StoreChange): void {
    for (const onChange of this.#listeners) {
      try {
        onChange(change)
      } catch (error) {
        this.#options.log.error('listener failed', error, { key: change.key })
      }
    }
  }
}
