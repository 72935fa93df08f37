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
  /** Does the writes in order, each against its own precondition, all in one commit. Throws if none of them was done. */
  readonly commit: (writes: readonly Write[]) => (StoreChange | WriteConflict)[]
  /** Has `commitWaiting` called soon. */
  readonly schedule: () => void
  readonly log: Logger
}

/** A commit of more would keep the event loop too long. */
const mostAtOnce = 500

/** Group commit: what is written until the next commit goes into it together; then listeners hear, then writers. */
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

  subscribe(hear: (change: StoreChange) => void): () => void {
    // A function of its own, so that whoever subscribes twice also hears twice.
    const listener = (change: StoreChange): void => hear(change)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  commitWaiting(): void {
    const batch = this.#waiting.slice(0, mostAtOnce)
    this.#waiting = this.#waiting.slice(mostAtOnce)
    if (this.#waiting.length > 0) this.#options.schedule()
    if (batch.length === 0) return
    const outcomes = this.#commit(batch)
    for (const outcome of outcomes) {
      if (!(outcome instanceof WriteConflict)) this.#announce(outcome)
    }
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof WriteConflict) batch[i]!.reject(outcome)
      else batch[i]!.resolve(outcome)
    }
  }

  /** Takes no more writes, and does what waits. */
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

  /** A listener's mistake must neither fail a write that is on disk nor keep the news from the others. */
  #announce(change: StoreChange): void {
    for (const hear of this.#listeners) {
      try {
        hear(change)
      } catch (error) {
        this.#options.log.error('listener failed', error, { key: change.key })
      }
    }
  }
}
