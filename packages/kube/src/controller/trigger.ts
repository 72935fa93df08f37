import type { Input } from './controller.ts'

/** An input for changes that no informer reports, such as those of files. Keys are kept until a controller subscribes. */
export class Trigger implements Input {
  readonly resource: string
  readonly #kept = new Set<string>()
  #enqueue: Parameters<Input['subscribe']>[0] | undefined

  /** `resource` is shown in the diagram of the documentation, like the kind of an informer. */
  constructor(resource: string) {
    this.resource = resource
  }

  /** Requests a reconcile of the key. */
  trigger(key: string): void {
    if (this.#enqueue) this.#enqueue(key, 0)
    else this.#kept.add(key)
  }

  synced(): Promise<boolean> {
    return Promise.resolve(true)
  }

  subscribe(enqueue: Parameters<Input['subscribe']>[0]): () => void {
    this.#enqueue = enqueue
    for (const key of this.#kept) enqueue(key, 0)
    this.#kept.clear()
    return () => {
      this.#enqueue = undefined
    }
  }
}
