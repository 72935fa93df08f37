import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { boundsOf } from './key-order.ts'
import type { Stored, StoreChange, StoreRange } from './store.ts'

export interface Progress {
  readonly revision: number
  readonly oldest: number
  /** Superseded rows have been removed up to this revision. */
  readonly swept: number
}

/** All SQL statements of the store. */
export class SqliteRows {
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepare>

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepare(database)
  }

  /** Makes all writes of `work` durable together, or none. */
  transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  get(key: string): Stored | undefined {
    const row = this.#statements.get.get(key)
    return row && stored(row)
  }

  append(revision: number, key: string, value: string | undefined, previous: number): void {
    this.#statements.append.run(revision, key, value ?? null, previous)
    if (value === undefined) this.#statements.forget.run(key)
    else this.#statements.point.run(key, revision)
  }

  range(range: StoreRange): Stored[] {
    const { low, end } = boundsOf(range)
    const limit = range.limit ?? -1
    const rows =
      range.revision === undefined
        ? this.#statements.range.all(low, end, limit)
        : this.#statements.rangeAsOf.all({ low, end, limit, revision: range.revision })
    return rows.map(stored)
  }

  count(range: Omit<StoreRange, 'limit'>): number {
    const { low, end } = boundsOf(range)
    const row =
      range.revision === undefined
        ? this.#statements.count.get(low, end)
        : this.#statements.countAsOf.get({ low, end, revision: range.revision })
    return Number(row?.['n'])
  }

  changesSince(revision: number, limit = -1): StoreChange[] {
    return this.#statements.changes.all(revision, limit).map(change)
  }

  /** Of the database file; its write-ahead log has its own limit. */
  bytes(): number {
    return Number(this.#statements.bytes.get()?.['bytes'])
  }

  progress(): Progress {
    const row = this.#statements.progress.get()!
    return {
      revision: Number(row['revision']),
      oldest: Number(row['oldest']),
      swept: Number(row['swept']),
    }
  }

  saveProgress({ revision, oldest, swept }: Progress): void {
    this.#statements.saveProgress.run(revision, oldest, swept)
  }

  /** Removes rows that the changes after `from` up to `to` have superseded, and removals among them. */
  sweep(from: number, to: number): void {
    this.#statements.dropSuperseded.run(from, to)
    this.#statements.dropRemovals.run(from, to)
  }

  close(): void {
    this.#database.close()
  }
}

/**
 * At an old revision: jumps from key to key in the index (without scanning all versions of a key), then to the newest
 * version at that revision. The jumps produce the keys in order.
 */
const asOf = `
WITH RECURSIVE keys (key) AS (
  SELECT min(key) FROM changes WHERE key >= :low AND key < :end
  UNION ALL
  SELECT (SELECT min(key) FROM changes WHERE key > keys.key AND key < :end)
  FROM keys WHERE keys.key IS NOT NULL
)
SELECT :what FROM keys CROSS JOIN changes AS found
WHERE keys.key IS NOT NULL AND found.revision = (
  SELECT max(revision) FROM changes WHERE key = keys.key AND revision <= :revision
) AND found.value IS NOT NULL`

const prepare = (database: DatabaseSync) => ({
  get: database.prepare(
    'SELECT key, value, revision FROM current JOIN changes USING (key, revision) WHERE key = ?',
  ),
  append: database.prepare(
    'INSERT INTO changes (revision, key, value, previous) VALUES (?, ?, ?, ?)',
  ),
  point: database.prepare('INSERT OR REPLACE INTO current (key, revision) VALUES (?, ?)'),
  forget: database.prepare('DELETE FROM current WHERE key = ?'),
  range: database.prepare(
    `SELECT current.key, value, current.revision FROM current
     CROSS JOIN changes ON changes.revision = current.revision
     WHERE current.key >= ? AND current.key < ? ORDER BY current.key LIMIT ?`,
  ),
  rangeAsOf: database.prepare(
    `${asOf.replace(':what', 'found.key, found.value, found.revision')} LIMIT :limit`,
  ),
  count: database.prepare('SELECT count(*) AS n FROM current WHERE key >= ? AND key < ?'),
  countAsOf: database.prepare(asOf.replace(':what', 'count(*) AS n')),
  changes: database.prepare(
    `SELECT c.revision, c.key, c.value, c.previous, before.value AS before
     FROM changes AS c LEFT JOIN changes AS before ON before.revision = c.previous
     WHERE c.revision > ? ORDER BY c.revision LIMIT ?`,
  ),
  bytes: database.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  ),
  progress: database.prepare(
    `SELECT max(revision, (SELECT coalesce(max(revision), 0) FROM changes)) AS revision, oldest, swept
     FROM progress`,
  ),
  saveProgress: database.prepare('UPDATE progress SET revision = ?, oldest = ?, swept = ?'),
  dropSuperseded: database.prepare(
    `DELETE FROM changes WHERE revision IN
     (SELECT previous FROM changes WHERE revision > ? AND revision <= ? AND previous > 0)`,
  ),
  dropRemovals: database.prepare(
    'DELETE FROM changes WHERE revision > ? AND revision <= ? AND value IS NULL',
  ),
})

type Row = Record<string, SQLOutputValue>

const stored = (row: Row): Stored => ({
  key: row['key'] as string,
  value: row['value'] as string,
  revision: row['revision'] as number,
})

function change(row: Row): StoreChange {
  const key = row['key'] as string
  const value = row['value'] as string | null
  const before = row['before'] as string | null
  return {
    revision: row['revision'] as number,
    key,
    ...(value === null ? {} : { value }),
    ...(before === null
      ? {}
      : { before: { key, value: before, revision: row['previous'] as number } }),
  }
}
