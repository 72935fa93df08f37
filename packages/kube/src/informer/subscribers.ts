import type { KubeObject } from '@machinist/core/objects/resource'
import type { Change, ChangeHandler } from './change.ts'

/** Change handlers. A failing handler affects neither the other handlers nor the informer. */
export class Subscribers<T extends KubeObject> {
  readonly #handlers = new Set<{ readonly handle: ChangeHandler<T> }>()
  readonly #onError: (error: unknown, change: Change<T>) => void

  constructor(onError: (error: unknown, change: Change<T>) => void) {
    this.#onError = onError
  }

  /** Adds a handler and calls it with the present objects. Returns a function that ends the subscription. */
  add(handle: ChangeHandler<T>, present: readonly Readonly<T>[]): () => void {
    // A separate entry, because one function can be subscribed twice.
    const entry = { handle }
    this.#handlers.add(entry)
    for (const object of present) this.#call(handle, { type: 'added', object, initial: true })
    return () => void this.#handlers.delete(entry)
  }

  notify(change: Change<T>): void {
    // A copy: a handler may add another one, which receives this change with the present objects.
    for (const entry of Array.from(this.#handlers)) {
      if (this.#handlers.has(entry)) this.#call(entry.handle, change)
    }
  }

  #call(handle: ChangeHandler<T>, change: Change<T>): void {
    try {
      const pending = handle(change)
      if (pending instanceof Promise)
        pending.catch((error: unknown) => this.#onError(error, change))
    } catch (error) {
      this.#onError(error, change)
    }
  }
}
