import type { Store, StoreChange, Stored, StoreRange } from '../../src/store/store.ts'
import { Compacted } from '../../src/store/store.ts'

type Readable = Pick<Store, 'range' | 'count' | 'changesSince' | 'revision' | 'oldest'>

/** A minimal model of a store: the list of all changes. */
export class StoreModel implements Readable {
  readonly #changes: StoreChange[] = []
  oldest = 1

  get revision(): number {
    return this.#changes.at(-1)?.revision ?? 1
  }

  /** The revision to write against, unless the write is stale, and the expected outcome. */
  write(write: { key: string; value?: string; stale: boolean }): {
    against: number
    outcome: number | 'conflict'
  } {
    const { key, value } = write
    const before = this.range({ prefix: '' }).find((stored) => stored.key === key)
    const against = (before?.revision ?? 0) + (write.stale ? 1 : 0)
    if (write.stale || (value === undefined && !before)) return { against, outcome: 'conflict' }
    const revision = this.revision + 1
    this.#changes.push({ revision, key, value, before })
    return { against, outcome: revision }
  }

  compact(revision: number): void {
    this.oldest = Math.max(this.oldest, revision)
  }

  range({ prefix, after, limit, revision = this.revision }: StoreRange): Stored[] {
    if (revision < this.oldest) throw new Compacted(this.oldest)
    const newest = new Map<string, StoreChange>()
    for (const change of this.#changes) {
      if (change.revision <= revision) newest.set(change.key, change)
    }
    return [...newest.values()]
      .filter((change): change is StoreChange & Stored => change.value !== undefined)
      .map(({ key, value, revision }) => ({ key, value, revision }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
      .filter(({ key }) => key.startsWith(prefix) && key > (after ?? ''))
      .slice(0, limit)
  }

  count({ prefix, after, revision }: Omit<StoreRange, 'limit'>): number {
    return this.range({ prefix, after, revision }).length
  }

  changesSince(revision: number, limit?: number): StoreChange[] {
    if (revision < this.oldest) throw new Compacted(this.oldest)
    return this.#changes.filter((change) => change.revision > revision).slice(0, limit)
  }
}

/** Everything that is readable at a revision. */
export function sightOf(store: Readable, revision: number): unknown[] {
  const ranges = ['', '/a', '/b/'].flatMap((prefix) => [
    { prefix },
    { prefix, limit: 2 },
    { prefix, after: '/a/1' },
    { prefix, after: '/b/1', limit: 1 },
  ])
  return [
    ...ranges.map((range) => attempt(() => store.range({ ...range, revision }))),
    ...ranges.map((range) => attempt(() => store.count({ ...range, revision }))),
    attempt(() => store.changesSince(revision)),
    attempt(() => store.changesSince(revision, 2)),
  ]
}

/** Everything that is readable. */
export function fullSightOf(store: Readable): unknown[] {
  const revisions = Array.from({ length: store.revision + 1 }, (_, revision) => revision)
  return [
    store.revision,
    store.oldest,
    store.range({ prefix: '/' }),
    ...revisions.map((revision) => sightOf(store, revision)),
  ]
}

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof Compacted) return { compactedTo: error.oldest }
    throw error
  }
}
