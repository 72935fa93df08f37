import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'

export interface Change {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** The watch event as it goes over the wire, with its newline. */
  readonly line: string
}

export interface Snapshot<T extends KubeObject> {
  readonly revision: number
  readonly items: readonly T[]
}

/** The objects of one resource with every change numbered, as etcd keeps them. */
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

  /** The event of a deletion carries the last state with the deletion's own revision. */
  delete(key: string): void {
    const known = this.#objects.get(key)
    if (!known) throw new Error(`the store holds no ${key}`)
    this.#objects.delete(key)
    this.#record('DELETED', this.#numbered(known, known.metadata.uid))
  }

  /** Other resources of the same server change: its revision grows, and no watch of this one hears of it. */
  skipRevisions(count: number): void {
    this.#revision += count
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  snapshot(): Snapshot<T> {
    return { revision: this.#revision, items: [...this.#objects.values()] }
  }

  /** Everything after `revision`, or 'expired' when that is no longer known. */
  since(revision: number): readonly Change[] | 'expired' {
    if (revision < this.#compacted) return 'expired'
    const start = this.#history.findLastIndex((change) => change.revision <= revision) + 1
    return this.#history.slice(start)
  }

  follow(follower: (change: Change) => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  /** Forgets the history up to now, so that older watches and pages are answered with 410. */
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
