import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOfTheDisk } from './not-written.ts'
import { UnusableStore } from './unusable-store.ts'

export interface DirectoryLock {
  release(): void
}

/**
 * Makes this process the only one that uses a data directory. The lock is SQLite's lock on a small database of its own,
 * which the kernel releases when the process ends, however it ends: there is nothing stale to clean up.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, lockFile)
  const database = open(path, directory)
  try {
    for (let tries = 0; tries < mostTries; tries++) {
      if (take(database)) return { release: () => database.close() }
    }
    throw inUse(directory, database)
  } catch (error) {
    const refusal = isBusy(error) ? inUse(directory, database) : unreadable(path, error)
    database.close()
    throw refusal
  }
}

const lockFile = 'lock.db'
/** Long enough for a reader to finish reading who the owner is. */
const patienceMs = 200
const mostTries = 5

function open(path: string, directory: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: patienceMs })
  } catch (error) {
    const message = `cannot open ${path}: check that this user may write to ${directory}`
    throw new UnusableStore(message, { cause: error })
  }
}

/**
 * A write transaction that stays open is the lock: others can still read who has it, as it holds no changes. So our name
 * must be there before; if it is not, it is written, and then the lock is taken again.
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
    `the data directory ${directory} is in use ${by}: stop that one first, or choose another directory`,
  )
}

function nameOfOwner(database: DatabaseSync): string {
  try {
    const pid = ownerOf(database)
    if (pid === process.pid) return 'this process'
    return typeof pid === 'number' ? `process ${pid}` : 'another process'
  } catch {
    // It has the lock but has not said who it is yet.
    return 'another process'
  }
}

/** SQLITE_BUSY, whatever its extended code. */
const isBusy = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === 5

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof UnusableStore) return error
  if (isOfTheDisk(error)) {
    const why = `cannot write the lock ${path} (${error.message})`
    return new UnusableStore(`${why}: make room on the disk or repair it, then start again`, {
      cause: error,
    })
  }
  const message = `cannot use the lock ${path}: if no other process uses the directory, remove this file`
  return new UnusableStore(message, { cause: error })
}
