import type { KubeObject } from '@machinist/core/resource'
import type { Change, ChangeHandler } from './change.ts'

/** Those who want to know about changes; one who fails hurts neither the others nor the teller. */
export class Subscribers<T extends KubeObject> {
  readonly #handlers = new Set<{ readonly handle: ChangeHandler<T> }>()
  readonly #onError: (error: unknown, change: Change<T>) => void

  constructor(onError: (error: unknown, change: Change<T>) => void) {
    this.#onError = onError
  }

  /** Tells the newcomer what is there already. The answer ends the subscription. */
  add(handle: ChangeHandler<T>, present: readonly Readonly<T>[]): () => void {
    // An entry of its own, because one function may be subscribed twice.
    const entry = { handle }
    this.#handlers.add(entry)
    for (const object of present) this.#tell(handle, { type: 'added', object, initial: true })
    return () => void this.#handlers.delete(entry)
  }

  announce(change: Change<T>): void {
    // A copy, because a handler may subscribe another one, which learns of this change from what is present.
    for (const entry of Array.from(this.#handlers)) {
      if (this.#handlers.has(entry)) this.#tell(entry.handle, change)
    }
  }

  #tell(handle: ChangeHandler<T>, change: Change<T>): void {
    try {
      const pending = handle(change)
      if (pending instanceof Promise)
        pending.catch((error: unknown) => this.#onError(error, change))
    } catch (error) {
      this.#onError(error, change)
    }
  }
}
