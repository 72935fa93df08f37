import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOfTheDisk } from './not-written.ts'
import { UnusableStore } from './unusable-store.ts'

export interface DirectoryLock {
  release(): void
}

/**
 * Makes this process the only user of a data directory. The lock is a SQLite lock on a small separate database, which
 * the kernel releases when the process ends: there are no stale locks.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, lockFile)
  const database = open(path, directory)
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      if (take(database)) return { release: () => database.close() }
    }
    throw inUse(directory, database)
  } catch (error) {
    const failure = isBusy(error) ? inUse(directory, database) : unreadable(path, error)
    database.close()
    throw failure
  }
}

const lockFile = 'lock.db'
/** Long enough for a concurrent reader of the owner to finish. */
const lockTimeoutMs = 200
const maxTries = 5

function open(path: string, directory: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: lockTimeoutMs })
  } catch (error) {
    const message = `cannot open ${path}: check that this user can write to ${directory}`
    throw new UnusableStore(message, { cause: error })
  }
}

/**
 * An open write transaction is the lock: others can still read the owner, since it contains no changes. The owner's
 * name must be written before; otherwise write it, then take the lock again.
 */
function take(database: DatabaseSync): boolean {
  database.exec('BEGIN IMMEDIATE')
  database.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL) STRICT')
  if (ownerOf(database) === process.pid) return true
  database.exec('DELETE FROM owner')
  database.prepare('INSERT INTO owner (pid) VALUES (?)').run(process.pid)
  database.exec('COMMIT')
  return false
}

const ownerOf = (database: DatabaseSync): unknown =>
  database.prepare('SELECT pid FROM owner').get()?.['pid']

function inUse(directory: string, database: DatabaseSync): UnusableStore {
  const by = `by ${nameOfOwner(database)}`
  return new UnusableStore(
    `the data directory ${directory} is in use ${by}: stop that process, or choose another directory`,
  )
}

function nameOfOwner(database: DatabaseSync): string {
  try {
    const pid = ownerOf(database)
    if (pid === process.pid) return 'this process'
    return typeof pid === 'number' ? `process ${pid}` : 'another process'
  } catch {
    // It holds the lock but has not written its name yet.
    return 'another process'
  }
}

/** SQLITE_BUSY with any extended code. */
const isBusy = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === 5

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof UnusableStore) return error
  if (isOfTheDisk(error)) {
    const why = `cannot write the lock ${path} (${error.message})`
    return new UnusableStore(`${why}: free disk space or repair the disk, then start again`, {
      cause: error,
    })
  }
  const message = `cannot use the lock ${path}: if no other process uses the directory, remove this file`
  return new UnusableStore(message, { cause: error })
}
