import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { administrator, ApiProcess, EndedEarly } from './api-process.ts'
import { HttpsCalls } from './https-calls.ts'
import { configMaps } from './stage.ts'

const scratch = mkdtempSync(join(tmpdir(), 'apiserver-directory-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The error of a failed start. */
async function failure(directory: string): Promise<EndedEarly> {
  try {
    const server = await ApiProcess.start(directory)
    await server.kill()
  } catch (error) {
    if (error instanceof EndedEarly) return error
    throw error
  }
  throw new Error(`it started on ${directory}`)
}

function newDirectory(name: string): string {
  const directory = join(scratch, name)
  mkdirSync(directory)
  return directory
}

describe('a data directory', { timeout: 120_000 }, () => {
  it('belongs to one process: a second one fails, and the first continues', async () => {
    const directory = newDirectory('shared')
    const first = await ApiProcess.start(directory)
    const calls = new HttpsCalls(first.url, administrator(directory))
    const { code, message } = await failure(directory)
    expect(code).toBe(1)
    expect(message).toBe(
      `machinist: the data directory ${directory} is in use by process ${first.pid}: stop that process, or choose another directory\n`,
    )
    const made = await calls.call('POST', configMaps.path, { metadata: { name: 'after' } })
    expect(made.code).toBe(201)
    calls.close()
    expect(await first.terminate()).toBe(0)
    expect(first.log).toBe('')
  })

  it('with a file of another program is not modified', async () => {
    const directory = newDirectory('foreign')
    const path = join(directory, 'store.db')
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES (1)')
    database.close()
    const before = readFileSync(path)
    const { code, message } = await failure(directory)
    expect(code).toBe(1)
    expect(message).toBe(
      `machinist: ${path} is the database of another program: choose another directory\n`,
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it.each([
    ['text', (path: string) => writeFileSync(path, 'not a database at all, '.repeat(500))],
    ['the first half', (path: string) => truncateSync(path, readFileSync(path).length / 2)],
    ['noise in the middle', (path: string) => writeFileSync(path, scribbled(readFileSync(path)))],
  ])('with %s instead of its database is not modified', async (what, damage) => {
    const directory = newDirectory(what.replaceAll(' ', '-'))
    const server = await ApiProcess.start(directory)
    const calls = new HttpsCalls(server.url, administrator(directory))
    for (let i = 0; i < 30; i++) {
      const object = { metadata: { name: `filler-${i}` }, data: { filler: 'x'.repeat(5000) } }
      await calls.call('POST', configMaps.path, object)
    }
    calls.close()
    expect(await server.terminate()).toBe(0)
    const path = join(directory, 'store.db')
    damage(path)
    const before = readFileSync(path)
    const { code, message } = await failure(directory)
    expect(code).toBe(1)
    expect(message).toMatch(/^machinist: the database \S+store\.db is damaged \(.+\): nothing was/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

function scribbled(bytes: Buffer): Buffer {
  return Buffer.from(bytes).fill(0xa5, 4096 * 2, 4096 * 6)
}
