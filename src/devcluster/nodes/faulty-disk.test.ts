import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { closing, openFlags, realDisk } from '../../daemon/host/files/disk.ts'
import type { NodeFault } from '../../views/status/node-fault.ts'
import { faultyDisk } from './faulty-disk.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-disk-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a faulty disk', () => {
  const faults = new Set<NodeFault>()
  const clock = new VirtualClock()
  const disk = faultyDisk(realDisk, clock, () => faults)
  const append = async (): Promise<void> => {
    const file = await disk.open(join(root, 'file'), openFlags.append, 0o600)
    await closing(file, () => file.write(Buffer.from('x')))
  }
  const size = async (): Promise<number> => (await disk.lstat(join(root, 'file'))).size

  it('rejects writes while it is full, and still reads and removes', async () => {
    await append()
    faults.add('full-disk')
    await expect(append()).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(disk.mkdir(join(root, 'd'), 0o700)).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(disk.symlink('a', join(root, 'l'))).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await disk.readdir(root)).toEqual(['file'])
    expect(await size()).toBe(1)
    faults.clear()
    await append()
    expect(await size()).toBe(2)
    faults.add('slow')
    const slow = append()
    await clock.advance(99)
    expect(await size()).toBe(2)
    await clock.advance(1)
    await slow
    expect(await size()).toBe(3)
  })
})
