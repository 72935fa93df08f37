import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLogFile } from './log-file.ts'

const inNewDirectory = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), 'machinist-log-')), 'up.log')

describe('the log', () => {
  it('is appended to, for its owner only', async () => {
    const path = await inNewDirectory()
    for (const line of ['one\n', 'two\n']) {
      const log = openLogFile(path)
      log.write(line)
      await log.close()
    }
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('never takes more than two files of a certain size, and loses no line at the rotation', async () => {
    const path = await inNewDirectory()
    const log = openLogFile(path, 100)
    for (let i = 10; i < 40; i++) log.write(`line ${i}\n`)
    await log.close()
    expect((await readdir(join(path, '..'))).toSorted()).toEqual(['up.log', 'up.log.1'])
    const [before, now] = [await readFile(`${path}.1`, 'utf8'), await readFile(path, 'utf8')]
    expect(Math.max(before.length, now.length)).toBeLessThanOrEqual(100)
    expect(`${before}${now}`).toMatch(/^line \d\d\n(line \d\d\n)*line 39\n$/)
    const numbers = [...`${before}${now}`.matchAll(/\d+/g)].map(([number]) => Number(number))
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i))
  })

  it('that is too large is rotated when it is opened', async () => {
    const path = await inNewDirectory()
    await writeFile(path, 'x'.repeat(200))
    const log = openLogFile(path, 100)
    log.write('new\n')
    await log.close()
    expect(await readFile(path, 'utf8')).toBe('new\n')
    expect(await readFile(`${path}.1`, 'utf8')).toBe('x'.repeat(200))
  })

  it('that cannot be written is an error', async () => {
    const path = await inNewDirectory()
    expect(() => openLogFile(join(path, 'none', 'up.log'))).toThrow(/^cannot write the log: ENOENT/)
  })
})
