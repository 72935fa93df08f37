import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '@machinist/core/errors'
import { UnusableStore } from './unusable-store.ts'

export function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new UnusableStore(`cannot create the data directory ${directory}`, { cause: error })
  }
}

/** Opens or creates the database of a data directory. Invalid files are rejected and not modified. */
export function openDatabase(directory: string): DatabaseSync {
  const path = databasePath(directory)
  if (isEmptyFile(path)) {
    rejectLogWithoutDatabase(path)
    // The database contains Secrets; SQLite would create it world-readable.
    closeSync(openSync(path, 'a', 0o600))
  } else {
    inspect(path)
  }
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  // A commit is durable when it returns.
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA journal_size_limit = 67108864')
  if (numberOf(database, 'user_version') === 0) database.exec(schema)
  return database
}

/** An empty cluster must not silently replace one that existed before. */
export function rejectDataLoss(directory: string, usedSince: string): void {
  const path = databasePath(directory)
  if (!isEmptyFile(path)) return
  const what = existsSync(path) ? 'is empty' : 'is missing'
  throw new UnusableStore(
    `the database ${path} ${what}, but the directory was in use before (${usedSince} exists), so all objects of the cluster are lost: restore a backup of the whole directory, or move it away to start empty`,
  )
}

const databasePath = (directory: string): string => join(directory, 'store.db')

/** Identifies the file for `file` and for the check below. */
const applicationId = 0x4d434e53
const schemaVersion = 1

/**
 * `changes` is the log: one row per revision, append-only until compaction removes superseded rows. `current` is the
 * index of existing objects.
 */
const schema = `
BEGIN IMMEDIATE;
CREATE TABLE changes (
  revision INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  value TEXT,
  previous INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX changes_of_key ON changes (key, revision);
CREATE TABLE current (
  key TEXT PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE progress (
  revision INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  swept INTEGER NOT NULL
) STRICT;
INSERT INTO progress (revision, oldest, swept) VALUES (1, 1, 1);
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
COMMIT;
`

/** Opens read-only: even closing a damaged database must not modify it. */
function inspect(path: string): void {
  const damage = (what: string): UnusableStore =>
    new UnusableStore(
      `the database ${path} is damaged (${what}): nothing was changed; restore a backup, or move the file away to start empty`,
    )
  let database: DatabaseSync
  try {
    database = new DatabaseSync(path, { readOnly: true })
  } catch (error) {
    throw new UnusableStore(`cannot open the database ${path}`, { cause: error })
  }
  let facts: Facts
  try {
    facts = factsOf(database)
  } catch (error) {
    throw damage(messageOf(error))
  } finally {
    database.close()
  }
  if (facts.check !== 'ok') throw damage(facts.check)
  // Its creator was killed before it stored anything.
  if (facts.version === 0 && facts.tables === 0) return
  if (facts.application !== applicationId) {
    throw new UnusableStore(`${path} is the database of another program: choose another directory`)
  }
  if (facts.version > schemaVersion) {
    throw new UnusableStore(
      `the database ${path} was written by a newer version (schema version ${facts.version}; this version supports ${schemaVersion}): use the newer version`,
    )
  }
}

interface Facts {
  readonly check: string
  readonly application: number
  readonly version: number
  readonly tables: number
}

function factsOf(database: DatabaseSync): Facts {
  const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']
  return {
    check: String(check).replaceAll('\n', ' '),
    application: numberOf(database, 'application_id'),
    version: numberOf(database, 'user_version'),
    tables: Number(tables),
  }
}

const numberOf = (database: DatabaseSync, pragma: string): number =>
  Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])

function rejectLogWithoutDatabase(path: string): void {
  if (isEmptyFile(`${path}-wal`)) return
  throw new UnusableStore(
    `the database ${path} is missing, but its log ${path}-wal exists: restore the database, or move the log away to start empty`,
  )
}

/** Also true if the file does not exist. */
const isEmptyFile = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
