import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { end } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import type { Disk } from '../../../../src/daemon/host/files/disk.ts'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import type { NewFile } from '../../../../src/daemon/host/host.ts'
import type { SecurityLabels } from '../../../../src/daemon/host/files/security-labels.ts'
import { RootedFiles } from '../../../../src/daemon/host/files/rooted-files.ts'
import { failure } from './files-contract.ts'

const isRoot = process.geteuid?.() === 0
const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
const text = (content: string, mode = 0o644): NewFile => ({
  content: Buffer.from(content),
  mode,
  ...owner,
})
const directory = { mode: 0o755, ...owner }

let scratch: string
let root: string
let outside: string
let files: RootedFiles
beforeEach(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), 'machinist-rooted-'))
  root = join(scratch, 'root')
  outside = join(scratch, 'outside')
  await fs.mkdir(join(root, 'etc'), { recursive: true })
  await fs.mkdir(outside)
  await fs.writeFile(join(outside, 'x'), 'outside')
  files = new RootedFiles({ disk: realDisk, root })
})
afterEach(() => fs.rm(scratch, { recursive: true, force: true }))

const isUntouched = async (): Promise<void> => {
  expect(await fs.readdir(outside)).toEqual(['x'])
  expect(await fs.readFile(join(outside, 'x'), 'utf8')).toBe('outside')
  expect((await fs.stat(join(outside, 'x'))).mode & 0o777).toBe(0o644)
}

/** All operations that change a path, which may lead out of the root. */
const everyChange = (path: string): (() => Promise<unknown>)[] => [
  () => files.write(path, text('inside')),
  () => files.append(path, Buffer.from('inside')),
  () => files.change(path, { mode: 0o600, ...owner }),
  () => files.move(path, `${path}-moved`),
  () => files.link(path, '/'),
  () => files.remove(path),
  () => files.makeDirectory(path, directory),
  () => files.removeDirectory(path),
  () => files.tidy(path),
]

describe('the root', () => {
  it.each([
    ['absolute', () => outside],
    ['relative', () => '../../outside'],
    ['through the root', () => '/../../../../outside'],
    ['far up', () => `${'../'.repeat(30)}${outside.slice(1)}`],
    ['by way of /proc', () => '/proc/self/root'],
  ])('is never left through a link that is %s', async (_, target) => {
    await fs.symlink(target(), join(root, 'etc/link'))
    expect(await files.stat('/etc/link/x')).toBeUndefined()
    expect(await files.list('/etc/link')).toEqual([])
    for (const change of everyChange('/etc/link/x')) await change().catch(() => {})
    for (const change of everyChange('/etc/link')) await change().catch(() => {})
    await isUntouched()
  })

  it('is the start of absolute links', async () => {
    await fs.mkdir(join(root, outside), { recursive: true })
    await fs.symlink(outside, join(root, 'etc/link'))
    await files.write('/etc/link/x', text('inside'))
    expect(await fs.readFile(join(root, outside, 'x'), 'utf8')).toBe('inside')
    await isUntouched()
  })

  it('may be a link itself', async () => {
    await fs.symlink(root, join(scratch, 'alias'))
    const byAlias = new RootedFiles({ disk: realDisk, root: `${join(scratch, 'alias')}/` })
    await byAlias.write('/etc/x', text('inside'))
    expect(await fs.readFile(join(root, 'etc/x'), 'utf8')).toBe('inside')
  })

  it('is never left while a directory is replaced by a link', { timeout: 60_000 }, async () => {
    const swapped = join(root, 'etc/swapped')
    await fs.mkdir(join(swapped, 'deep'), { recursive: true })
    await fs.mkdir(join(outside, 'deep'))
    await fs.writeFile(join(outside, 'deep/x'), 'outside')
    const swapper = spawn(process.execPath, ['-e', swapForEver, swapped, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let rounds = 0
    swapper.stdout.on('data', (chunk: Buffer) => (rounds += chunk.length))
    try {
      await until('it swaps', () => rounds > 0)
      const enough = rounds + 15
      const outcomes = { done: 0, failed: 0 }
      await until('it has swapped often enough', async () => {
        for (const path of ['/etc/swapped/x', '/etc/swapped/deep/x']) {
          for (const change of everyChange(path)) {
            await change().then(
              () => outcomes.done++,
              () => outcomes.failed++,
            )
          }
          const found = await files.read(path).catch(() => Buffer.from('inside'))
          expect(Buffer.from(found).toString()).toMatch(/^(inside)+$/)
        }
        return rounds >= enough && outcomes.done > 100
      })
    } finally {
      await end(swapper, 'SIGKILL')
    }
    expect(await fs.readdir(join(outside, 'deep'))).toEqual(['x'])
    expect(await fs.readFile(join(outside, 'deep/x'), 'utf8')).toBe('outside')
    await fs.rm(join(outside, 'deep'), { recursive: true })
    await isUntouched()
  })
})

/** Writes one byte every thousand rounds. */
const swapForEver = `
  const fs = require('node:fs')
  const [path, outside] = process.argv.slice(1)
  for (let round = 1; ; round++) {
    fs.renameSync(path, path + '.aside')
    fs.symlinkSync(outside, path)
    fs.unlinkSync(path)
    fs.renameSync(path + '.aside', path)
    if (round % 1000 === 0) fs.writeSync(1, '.')
  }`

describe.runIf(isRoot)('directories of ordinary users', () => {
  it('contain links that are not followed, even if root made them', async () => {
    await fs.mkdir(join(root, 'home'))
    await fs.symlink('/etc', join(root, 'home/link'))
    await files.write('/home/link/x', text('root’s'))
    await fs.chown(join(root, 'home'), 1000, 1000)
    expect(await failure(files.write('/home/link/x', text('')), '/home/link')).toBe('EACCES')
    expect(await fs.readFile(join(root, 'etc/x'), 'utf8')).toBe('root’s')
    await files.write('/home/x', text('fine'))
  })
})

describe.runIf(isRoot)('devices', () => {
  it('are neither read nor written nor changed', async () => {
    const made = spawnSync('mknod', [join(root, 'etc/device'), 'c', '1', '3'])
    expect(made.status).toBe(0)
    const path = '/etc/device'
    expect(await files.stat(path)).toEqual({ type: 'other' })
    expect(await failure(files.read(path), path)).toBe('EINVAL')
    expect(await failure(files.write(path, text('')), path)).toBe('EINVAL')
    expect(await failure(files.append(path, Buffer.from('x')), path)).toBe('EINVAL')
    expect(await failure(files.link(path, '/'), path)).toBe('EINVAL')
    expect(await failure(files.change(path, directory), path)).toBe('EINVAL')
    expect(await failure(files.makeDirectory(path, directory), path)).toBe('EEXIST')
    await files.remove(path)
    expect(await files.list('/etc')).toEqual([])
  })
})

describe('the leftover of a crash', () => {
  const leftovers: Readonly<Record<string, (at: string) => Promise<unknown>>> = {
    file: (at) => fs.writeFile(at, 'half'),
    'file without permissions': (at) => fs.writeFile(at, 'half', { mode: 0 }),
    link: (at) => fs.symlink(outside, at),
    directory: (at) => fs.mkdir(at),
  }
  const operations: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    write: (path) => files.write(path, text('')),
    link: (path) => files.link(path, '/'),
    remove: (path) => files.remove(path),
    makeDirectory: (path) => files.makeDirectory(path, directory),
    removeDirectory: (path) => files.removeDirectory(path),
    tidy: (path) => files.tidy(path),
  }

  for (const [what, leave] of Object.entries(leftovers)) {
    for (const [how, operate] of Object.entries(operations)) {
      it(`is removed by the next ${how}: a ${what}`, async () => {
        await leave(join(root, 'etc', '.x.machinist'))
        await operate('/etc/x')
        expect(await files.list('/etc')).not.toContain('.x.machinist')
        await isUntouched()
      })
    }
  }

  it('is found for a long name, too', async () => {
    const path = `/etc/${'n'.repeat(255)}`
    // sha256 of 255 times n.
    const left = '.3bb555e4ed3e8c6e1818a52c8917ddaa25e9333eeb43a22a9890047c3ded92cc.machinist'
    await fs.writeFile(join(root, 'etc', left), 'half')
    await files.tidy(path)
    expect(await files.list('/etc')).toEqual([])
  })

  it('is named in the error if it cannot be removed', async () => {
    await fs.mkdir(join(root, 'etc/.x.machinist/full'), { recursive: true })
    expect(await failure(files.write('/etc/x', text('')), '/etc/x')).toBe('ENOTEMPTY')
  })
})

describe('security labels', () => {
  it('are set for new files, new directories and replaced files', async () => {
    const seen: string[] = []
    const labels: SecurityLabels = {
      apply: async (fresh, path, as) => {
        await fs.lstat(fresh)
        seen.push(`${path} ${as}`)
      },
    }
    const labelled = new RootedFiles({ disk: realDisk, root, labels })
    await labelled.makeDirectory('/etc/d', directory)
    await labelled.makeDirectory('/etc/d', directory)
    await labelled.write('/etc/d/x', text('one'))
    await labelled.write('/etc/d/x', text('two'))
    expect(seen).toEqual(['/etc/d directory', '/etc/d/x file', '/etc/d/x replacement'])
  })

  // The target of a mask is a device: with its label, systemd could not read the unit that replaces the mask.
  it('are never those of the target of a link', async () => {
    const seen: string[] = []
    const labels: SecurityLabels = {
      apply: async (_fresh, path, as) => {
        seen.push(`${path} ${as}`)
      },
    }
    const labelled = new RootedFiles({ disk: realDisk, root, labels })
    await labelled.link('/etc/unit', '/dev/null')
    await labelled.write('/etc/unit', text('[Unit]'))
    expect(seen).toEqual(['/etc/unit file'])
  })
})

describe('the mode of a file', () => {
  it.each([0o400, 0o440, 0o600, 0o644, 0o755, 0])(
    'is never wider than %o during a write',
    async (mode) => {
      const seen: number[] = []
      const disk = afterEachCall(async () => {
        for (const name of await fs.readdir(join(root, 'etc'))) {
          seen.push((await fs.lstat(join(root, 'etc', name))).mode & 0o7777)
        }
      })
      const watched = new RootedFiles({ disk, root })
      await watched.write('/etc/x', text('secret', mode))
      await watched.makeDirectory('/etc/d', { mode, ...owner })
      expect(seen.length).toBeGreaterThan(6)
      expect(seen.filter((found) => (found & ~mode) !== 0)).toEqual([])
    },
  )
})

function afterEachCall(check: () => Promise<void>): Disk {
  const wrapped = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          const result: unknown = await Reflect.apply(member, target, args)
          await check()
          return key === 'open' ? wrapped(result as object) : result
        }
      },
    })
  return wrapped(realDisk)
}
