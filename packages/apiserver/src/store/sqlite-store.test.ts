import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { systemClock } from '@machinist/core/clock'
import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { createLogger, silentLogger } from '@machinist/core/log'
import type { StoreUnderTest } from '../../test/store/store-contract.ts'
import { describeStore } from '../../test/store/store-contract.ts'
import type { HistoryPolicy } from './history.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'
import { UnusableStore } from './unusable-store.ts'

const scratch = mkdtempSync(join(tmpdir(), 'sqlite-store-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const freshDirectory = (): string => join(mkdtempSync(join(scratch, 'case-')), 'data')

const open = (directory: string, clock: Clock = systemClock, history?: HistoryPolicy): Store =>
  openSqliteStore({ directory, clock, log: silentLogger, history })

describeStore('SQLite', (clock, history) => {
  const directory = freshDirectory()
  const openAgain = (): StoreUnderTest => {
    const store = open(directory, clock, history)
    return {
      store,
      reopen: async () => {
        await store.close()
        return openAgain()
      },
    }
  }
  return openAgain()
})

describe('a data directory', () => {
  let directory: string
  let store: Store | undefined
  beforeEach(() => {
    directory = freshDirectory()
    store = undefined
  })
  afterEach(async () => {
    await store?.close()
  })

  const fileAt = (name: string): string => join(directory, name)

  async function filled(): Promise<void> {
    const made = open(directory)
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => made.write(`/${i}`, 'x'.repeat(500), 0)),
    )
    await made.close()
  }

  /** Why the directory is rejected, and whether its data was modified. */
  function failure(): { message: string; touched: string[] } {
    const before = contents(directory)
    const error = thrownBy(() => open(directory))
    expect(error).toBeInstanceOf(UnusableStore)
    const after = contents(directory)
    const touched = Object.keys(before).filter((name) => before[name] !== after[name])
    // The lock and SQLite's shared memory contain no data.
    const bare = touched.filter((name) => name !== 'lock.db' && name !== 'store.db-shm')
    return { message: messageOf(error), touched: bare }
  }

  it('is created with mode 0700, and its files with 0600', async () => {
    store = open(directory)
    await store.write('/a', '1', 0)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(fileAt('store.db')).mode & 0o777).toBe(0o600)
    expect(statSync(fileAt('store.db-wal')).mode & 0o777).toBe(0o600)
  })

  it('keeps everything after a restart, also the newest revision if compaction removed its row', async () => {
    const first = open(directory)
    await first.write('/a', '1', 0)
    await first.write('/b', '1', 0)
    await first.remove('/b', 3)
    await first.compact(4)
    await first.close()
    store = open(directory)
    expect([store.revision, store.oldest]).toEqual([4, 4])
    expect((await store.write('/b', '2', 0)).revision).toBe(5)
    expect(store.range({ prefix: '/' }).map(({ key }) => key)).toEqual(['/a', '/b'])
  })

  it('shrinks after a compaction', async () => {
    const made = open(directory)
    let revision = 0
    for (let i = 0; i < 1200; i++) revision = (await made.write('/a', `${i}`, revision)).revision
    await made.write('/gone', '1', 0)
    await made.remove('/gone', revision + 1)
    await made.compact(made.revision)
    await made.close()
    const database = new DatabaseSync(fileAt('store.db'))
    expect(database.prepare('SELECT key, revision FROM changes').all()).toEqual([
      { key: '/a', revision: 1201 },
    ])
    database.close()
  })

  it('continues an interrupted compaction', async () => {
    const made = open(directory)
    let revision = 0
    for (let i = 0; i < 1200; i++) revision = (await made.write('/a', `${i}`, revision)).revision
    void made.compact(1201)
    await made.close()
    store = open(directory)
    expect(store.oldest).toBe(1201)
    await store.compact(1201)
    await store.close()
    const database = new DatabaseSync(fileAt('store.db'))
    expect(database.prepare('SELECT count(*) AS n FROM changes').get()).toEqual({ n: 1 })
    database.close()
  })

  it('belongs to one store at a time, also within a process', async () => {
    const first = open(directory)
    expect(() => open(directory)).toThrow(
      new UnusableStore(
        `the data directory ${directory} is in use by this process: stop that process, or choose another directory`,
      ),
    )
    await first.close()
    store = open(directory)
    expect(store.revision).toBe(1)
  })

  it('belongs to one process at a time, and is free when that process is killed', async () => {
    const holder = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../test/store/hold-store.ts', import.meta.url)), directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(holder.stdout, 'data')
    expect(() => open(directory)).toThrow(
      `the data directory ${directory} is in use by process ${holder.pid}: stop that process, or choose another directory`,
    )
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    store = open(directory)
    expect(store.get('/held')?.value).toBe('1')
  })

  it('is rejected if its database is not a database', async () => {
    await filled()
    writeFileSync(fileAt('store.db'), 'this was a database once'.repeat(500))
    expect(failure()).toEqual({
      message: `the database ${fileAt('store.db')} is damaged (file is not a database): nothing was changed; restore a backup, or move the file away to start empty`,
      touched: [],
    })
  })

  it('is rejected if its database is truncated', async () => {
    await filled()
    truncateSync(fileAt('store.db'), 8192)
    expect(failure()).toEqual({
      message: `the database ${fileAt('store.db')} is damaged (database disk image is malformed): nothing was changed; restore a backup, or move the file away to start empty`,
      touched: [],
    })
  })

  it('is rejected if pages of its database are overwritten', async () => {
    await filled()
    const bytes = readFileSync(fileAt('store.db'))
    bytes.fill(0xff, 4096 * 3, 4096 * 9)
    writeFileSync(fileAt('store.db'), bytes)
    const before = readFileSync(fileAt('store.db'))
    expect(() => open(directory)).toThrow(/store\.db is damaged \(.+\): nothing was changed/)
    expect(readFileSync(fileAt('store.db')).equals(before)).toBe(true)
  })

  it('is rejected if its database is missing but the log exists', async () => {
    const made = open(directory)
    await made.write('/a', '1', 0)
    copyFileSync(fileAt('store.db-wal'), fileAt('kept'))
    await made.close()
    rmSync(fileAt('store.db'))
    copyFileSync(fileAt('kept'), fileAt('store.db-wal'))
    expect(failure()).toEqual({
      message: `the database ${fileAt('store.db')} is missing, but its log ${fileAt('store.db-wal')} exists: restore the database, or move the log away to start empty`,
      touched: [],
    })
  })

  it('is rejected if a newer version wrote it', async () => {
    await filled()
    sql('PRAGMA user_version = 2')
    expect(failure()).toEqual({
      message: `the database ${fileAt('store.db')} was written by a newer version (schema version 2; this version supports 1): use the newer version`,
      touched: [],
    })
  })

  it('is rejected if another program wrote it', async () => {
    await filled()
    sql('PRAGMA application_id = 7')
    expect(failure()).toEqual({
      message: `${fileAt('store.db')} is the database of another program: choose another directory`,
      touched: [],
    })
  })

  it('is rejected if its lock is unreadable', async () => {
    await filled()
    writeFileSync(fileAt('lock.db'), 'no lock'.repeat(500))
    expect(() => open(directory)).toThrow(
      `cannot use the lock ${fileAt('lock.db')}: if no other process uses the directory, remove this file`,
    )
  })

  it('is rejected if it cannot be created', () => {
    writeFileSync(join(directory, '..', 'file'), '')
    const below = join(directory, '..', 'file', 'data')
    expect(() => open(below)).toThrow(`cannot create the data directory ${below}`)
  })

  it('is usable if its creator was killed', async () => {
    await open(directory).close()
    writeFileSync(fileAt('store.db'), '')
    store = open(directory)
    expect(store.revision).toBe(1)
  })

  it('survives a failed write: nothing of it is stored, and the next one succeeds', async () => {
    const lines: string[] = []
    const log = createLogger({ clock: systemClock, write: (line) => lines.push(line) })
    store = openSqliteStore({ directory, clock: systemClock, log })
    await store.write('/a', '1', 0)
    const other = new DatabaseSync(fileAt('store.db'))
    other.exec('BEGIN IMMEDIATE')
    await expect(store.write('/b', '1', 0)).rejects.toThrow('database is locked')
    other.exec('ROLLBACK')
    other.close()
    expect(store.revision).toBe(2)
    expect((await store.write('/b', '1', 0)).revision).toBe(3)
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'commit failed', writes: 1 })
  })

  function sql(text: string): void {
    const database = new DatabaseSync(fileAt('store.db'))
    database.exec(text)
    database.close()
  }
})

function contents(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'base64')]),
  )
}
