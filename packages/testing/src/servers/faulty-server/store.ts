import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'

export interface Change {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** The encoded watch event with its newline. */
  readonly line: string
}

export interface Snapshot<T extends KubeObject> {
  readonly revision: number
  readonly items: readonly T[]
}

/** The objects of one resource with a revision for every change, as in etcd. */
export class VersionedStore<T extends KubeObject = KubeObject> {
  readonly #objects = new Map<string, T>()
  readonly #history: Change[] = []
  readonly #followers = new Set<(change: Change) => void>()
  #revision = 100
  #compacted = 100

  get revision(): number {
    return this.#revision
  }

  get size(): number {
    return this.#objects.size
  }

  /** Revisions up to this one are no longer in the history. */
  get compacted(): number {
    return this.#compacted
  }

  put(object: T): T {
    const key = keyText(keyOf(object))
    const known = this.#objects.get(key)
    const stored = this.#numbered(object, known?.metadata.uid ?? `uid-of-${key}`)
    this.#objects.set(key, stored)
    this.#record(known ? 'MODIFIED' : 'ADDED', stored)
    return stored
  }

  /** The event contains the last state with the revision of the deletion. */
  delete(key: string): void {
    const known = this.#objects.get(key)
    if (!known) throw new Error(`${key} does not exist in the store`)
    this.#objects.delete(key)
    this.#record('DELETED', this.#numbered(known, known.metadata.uid))
  }

  /** Increases the revision as changes of other resources do, without an event. */
  skipRevisions(count: number): void {
    this.#revision += count
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  snapshot(): Snapshot<T> {
    return { revision: this.#revision, items: [...this.#objects.values()] }
  }

  /** The changes after `revision`, or 'expired' if they are compacted. */
  since(revision: number): readonly Change[] | 'expired' {
    if (revision < this.#compacted) return 'expired'
    const start = this.#history.findLastIndex((change) => change.revision <= revision) + 1
    return this.#history.slice(start)
  }

  follow(follower: (change: Change) => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  /** Compacts the history: older watches and pages get 410. */
  compact(keep = 0): void {
    this.#history.splice(0, Math.max(this.#history.length - keep, 0))
    const [oldest] = this.#history
    this.#compacted = oldest ? oldest.revision - 1 : this.#revision
  }

  #numbered(object: T, uid: string | undefined): T {
    const metadata = { ...object.metadata, uid, resourceVersion: String(++this.#revision) }
    return { ...object, metadata }
  }

  #record(type: Change['type'], object: T): void {
    const change = {
      revision: this.#revision,
      type,
      line: `${JSON.stringify({ type, object })}\n`,
    }
    this.#history.push(change)
    for (const follower of this.#followers) follower(change)
  }
}
