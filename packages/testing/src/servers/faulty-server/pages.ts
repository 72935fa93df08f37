import type { KubeObject } from '@machinist/core/objects/resource'
import type { Snapshot, VersionedStore } from './store.ts'

interface Position {
  readonly rv: number
  readonly start: number
}

/** Paged lists. All pages of a list have the same revision, until the history is compacted. */
export class Pages<T extends KubeObject> {
  readonly #store: VersionedStore<T>
  readonly #snapshots = new Map<number, Snapshot<T>>()

  constructor(store: VersionedStore<T>) {
    this.#store = store
  }

  list(query: URLSearchParams): object | 'expired' {
    const limit = Number(query.get('limit') ?? 0)
    const token = query.get('continue')
    const position = token === null ? undefined : readPosition(token)
    const snapshot = position ? this.#snapshots.get(position.rv) : this.#store.snapshot()
    if (!snapshot || (position && position.rv < this.#store.compacted)) return 'expired'
    return this.#page(snapshot, position?.start ?? 0, limit)
  }

  #page({ revision, items }: Snapshot<T>, start: number, limit: number): object {
    const end = limit === 0 ? items.length : Math.min(start + limit, items.length)
    const metadata: Record<string, unknown> = { resourceVersion: String(revision) }
    if (end < items.length) {
      metadata['continue'] = writePosition({ rv: revision, start: end })
      metadata['remainingItemCount'] = items.length - end
      this.#remember({ revision, items })
    } else {
      this.#snapshots.delete(revision)
    }
    return { kind: 'List', apiVersion: 'v1', metadata, items: items.slice(start, end) }
  }

  /** Limits the memory for lists that clients do not complete. */
  #remember(snapshot: Snapshot<T>): void {
    this.#snapshots.set(snapshot.revision, snapshot)
    const [oldest] = this.#snapshots.keys()
    if (this.#snapshots.size > 8 && oldest !== undefined) this.#snapshots.delete(oldest)
  }
}

const writePosition = (position: Position): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url')

const readPosition = (token: string): Position =>
  JSON.parse(Buffer.from(token, 'base64url').toString()) as Position
