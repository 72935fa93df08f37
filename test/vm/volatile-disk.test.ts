import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VolatileDisk } from './volatile-disk.ts'

const sectors = (letters: string): Buffer =>
  Buffer.concat(letters.split('').map((letter) => Buffer.alloc(4096, letter)))

/** One letter per sector; a torn sector shows several letters. */
const lettersOf = (content: Buffer): string =>
  content.toString('latin1').replaceAll(/(.)\1{4095}/g, '$1')

let directory: string
let disk: VolatileDisk
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'machinist-disk-'))
  writeFileSync(join(directory, 'plates'), sectors('abcdefgh'))
  disk = await VolatileDisk.open(join(directory, 'plates'))
})
afterEach(async () => {
  await disk.close()
  rmSync(directory, { recursive: true })
})

const onPlates = (): string => lettersOf(readFileSync(join(directory, 'plates')))

describe('a disk with a cache', () => {
  it('returns written data, which is on the medium only after a flush', async () => {
    await disk.write(4096, sectors('BC'))
    await disk.write(3 * 4096, sectors('D'))
    await disk.write(6 * 4096, sectors('G'))
    expect(lettersOf(await disk.read(0, 8 * 4096))).toBe('aBCDefGh')
    expect(lettersOf(await disk.read(2 * 4096, 3 * 4096))).toBe('CDe')
    expect(onPlates()).toBe('abcdefgh')
    expect(await disk.flush()).toBe(true)
    expect(onPlates()).toBe('aBCDefGh')
    expect(disk.flushes).toBe(1)
  })

  it('reads from the middle of a sector', async () => {
    await disk.write(4096, sectors('BC'))
    expect((await disk.read(8190, 4)).toString()).toBe('BBCC')
    expect((await disk.read(4094, 4)).toString()).toBe('aaBB')
  })

  it('accepts only whole sectors', async () => {
    await expect(disk.write(100, sectors('x'))).rejects.toThrow(
      'the write at 100 is not a whole sector',
    )
  })

  it('loses only unflushed data when the power is cut', async () => {
    await disk.write(0, sectors('AB'))
    const half = 0.5
    const luck = [half, 0, 0.9, 0, 0.9, 0, 0.9]
    const cut = disk.cutAtFlush(2, { next: () => luck.shift()! })
    expect(await disk.flush()).toBe(true)
    await disk.write(2 * 4096, sectors('CDEFGH'))
    expect(await disk.flush()).toBe(false)
    await cut
    expect(onPlates()).toBe('ABCdEfGh')
    expect(await disk.flush()).toBe(false)
    await disk.powerComes()
    expect(lettersOf(await disk.read(0, 8 * 4096))).toBe('ABCdEfGh')
    expect(await disk.flush()).toBe(true)
  })
})
