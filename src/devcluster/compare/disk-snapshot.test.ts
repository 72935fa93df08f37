import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { diskChange, snapshotDisk } from './disk-snapshot.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-snapshot-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  utimesSync(join(root, path), 1000, 1000)
}

describe('the disk of a machine before and after', () => {
  it('shows written files, even with the same content, and removed files', async () => {
    for (const path of ['etc/same', 'etc/over', 'etc/replaced', 'etc/gone']) put(path, 'text')
    symlinkSync('same', join(root, 'etc/link'))
    const before = await snapshotDisk(root)
    expect([...before.keys()].toSorted()).toEqual([
      '/etc/gone',
      '/etc/link',
      '/etc/over',
      '/etc/replaced',
      '/etc/same',
    ])
    expect(diskChange(before, await snapshotDisk(root))).toEqual({
      written: [],
      removed: [],
      notes: [],
    })

    writeFileSync(join(root, 'etc/over'), 'text')
    put('etc/temporary', 'text')
    renameSync(join(root, 'etc/temporary'), join(root, 'etc/replaced'))
    put('etc/new/deep', 'x')
    rmSync(join(root, 'etc/gone'))
    expect(diskChange(before, await snapshotDisk(root))).toEqual({
      written: ['/etc/new/deep', '/etc/over', '/etc/replaced'],
      removed: ['/etc/gone'],
      notes: [],
    })
  })

  it('separates the state files of the daemon, and omits files of the sandbox', () => {
    const before = new Map([
      ['/etc/machine-config-daemon/journal', '1'],
      ['/var/lib/machinist-sandbox/owners.json', '1'],
      ['/var/log/machinist-sandbox.log', '1'],
    ])
    const after = new Map([
      ['/etc/machine-config-daemon/trust.json', '1'],
      ['/etc/machine-config-daemon-of-mine', '1'],
      ['/var/lib/machinist-sandbox/owners.json', '2'],
      ['/var/log/machinist-sandbox.log', '2'],
    ])
    expect(diskChange(before, after)).toEqual({
      written: ['/etc/machine-config-daemon-of-mine'],
      removed: [],
      notes: ['/etc/machine-config-daemon/journal', '/etc/machine-config-daemon/trust.json'],
    })
  })
})
