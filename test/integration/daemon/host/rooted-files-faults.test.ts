import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import type { HostFiles, NewFile } from '../../../../src/daemon/host/host.ts'
import { RootedFiles } from '../../../../src/daemon/host/files/rooted-files.ts'
import type { Death, Fault } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyDisk, Faults } from '../../../../src/daemon/host/faults.fixture.ts'

const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
const text = (content: string): NewFile => ({
  content: Buffer.from(content),
  mode: 0o640,
  ...owner,
})
const oldText = 'old'.repeat(1000)
const newText = 'new'.repeat(2000)

interface Case {
  readonly what: string
  readonly run: (files: HostFiles) => Promise<unknown>
  /** The entries of /d afterwards. */
  readonly after: Readonly<Record<string, string>>
}

const before = { file: oldText, link: '-> elsewhere', moved: 'moved', empty: '/' }
const cases: readonly Case[] = [
  {
    what: 'write',
    run: (files) => files.write('/d/file', text(newText)),
    after: { ...before, file: newText },
  },
  {
    what: 'write through a link',
    run: (files) => files.write('/way/fresh', text(newText)),
    after: { ...before, fresh: newText },
  },
  {
    what: 'link',
    run: (files) => files.link('/d/link', '/there'),
    after: { ...before, link: '-> /there' },
  },
  {
    what: 'remove',
    run: (files) => files.remove('/d/file'),
    after: { link: '-> elsewhere', moved: 'moved', empty: '/' },
  },
  {
    what: 'move',
    run: (files) => files.move('/d/moved', '/d/file'),
    after: { file: 'moved', link: '-> elsewhere', empty: '/' },
  },
  {
    what: 'makeDirectory',
    run: (files) => files.makeDirectory('/d/made', { mode: 0o750, ...owner }),
    after: { ...before, made: '/' },
  },
  {
    what: 'removeDirectory',
    run: (files) => files.removeDirectory('/d/empty'),
    after: { file: oldText, link: '-> elsewhere', moved: 'moved' },
  },
]

let scratch: string
let count = 0
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), 'machinist-faults-'))
})
afterAll(() => fs.rm(scratch, { recursive: true, force: true }))

async function newRoot(): Promise<string> {
  const root = join(scratch, String(++count))
  await fs.mkdir(join(root, 'd/empty'), { recursive: true })
  await fs.writeFile(join(root, 'd/file'), oldText, { mode: 0o600 })
  await fs.writeFile(join(root, 'd/moved'), 'moved')
  await fs.symlink('elsewhere', join(root, 'd/link'))
  await fs.symlink('/d', join(root, 'way'))
  return root
}

async function contents(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of await fs.readdir(join(root, 'd'))) {
    const at = join(root, 'd', name)
    const stats = await fs.lstat(at)
    if (stats.isDirectory()) found[name] = '/'
    else if (stats.isSymbolicLink()) found[name] = `-> ${await fs.readlink(at)}`
    else found[name] = await fs.readFile(at, 'utf8')
  }
  return found
}

async function pointsOf({ run }: Case): Promise<number> {
  const faults = new Faults()
  await run(new RootedFiles({ disk: faultyDisk(realDisk, faults), root: await newRoot() }))
  return faults.count
}

const isOurs = (name: string): boolean => name.endsWith('.machinist')

describe.each(cases)('$what', (each) => {
  it.each(['before', 'within', 'after'] as const)(
    'is atomic and can be repeated after a death %s any system call',
    async (die) => {
      const points = await pointsOf(each)
      expect(points).toBeGreaterThan(3)
      for (let at = 1; at <= points; at++) {
        const root = await newRoot()
        await runAndDie(each, root, { at, die, by: 'freeze' })
        const found = await contents(root)
        const whole = Object.fromEntries(Object.entries(found).filter(([name]) => !isOurs(name)))
        expect([before, each.after]).toContainEqual(whole)
        await each.run(new RootedFiles({ disk: realDisk, root }))
        expect(await contents(root)).toEqual(each.after)
      }
    },
  )

  it.each(['EIO', 'ENOSPC', 'EROFS'])(
    'fails when any system call fails with %s, leaves no temporary files, and succeeds the next time',
    async (code) => {
      const points = await pointsOf(each)
      const handles = (await fs.readdir('/proc/self/fd')).length
      for (let at = 1; at <= points; at++) {
        const root = await newRoot()
        const outcome = await runWith(each, root, { at, fail: code })
        const found = await contents(root)
        expect(Object.keys(found).filter(isOurs)).toEqual([])
        expect([before, each.after]).toContainEqual(found)
        // Some failures are ignored, such as a failed close. The operation is done then.
        expect(outcome === undefined ? found : each.after).toEqual(each.after)
        expect(['', `HostFailure ${code}`]).toContain(shown(outcome))
        await each.run(new RootedFiles({ disk: realDisk, root }))
        expect(await contents(root)).toEqual(each.after)
      }
      expect((await fs.readdir('/proc/self/fd')).length).toBe(handles)
    },
  )

  it('keeps a consistent state when every call fails from some point on', async () => {
    const points = await pointsOf(each)
    for (let at = 1; at <= points; at++) {
      const root = await newRoot()
      await runWith(each, root, { at, fail: 'EIO', always: true })
      const found = Object.entries(await contents(root)).filter(([name]) => !isOurs(name))
      expect([before, each.after]).toContainEqual(Object.fromEntries(found))
      await each.run(new RootedFiles({ disk: realDisk, root }))
      expect(await contents(root)).toEqual(each.after)
    }
  })
})

describe.each<[string, Case['run']]>([
  ['stat', (files) => files.stat('/d/file')],
  ['stat of a link', (files) => files.stat('/d/link')],
  ['read', (files) => files.read('/d/file')],
  ['list', (files) => files.list('/d/empty')],
  ['append', (files) => files.append('/d/file', Buffer.from('x'))],
  ['tidy', (files) => files.tidy('/d/file')],
  ['change', (files) => files.change('/d/file', { mode: 0o600, ...owner })],
])('%s', (what, run) => {
  it('shows the path on the machine when any system call fails', async () => {
    const each = { what, run, after: before }
    const points = await pointsOf(each)
    for (let at = 1; at <= points; at++) {
      const outcome = await runWith(each, await newRoot(), { at, fail: 'EIO' })
      expect(['', 'HostFailure EIO']).toContain(shown(outcome))
    }
  })
})

it('the error for a dangling link in a path names the link and its target', async () => {
  const root = await newRoot()
  await fs.symlink('/gone/away', join(root, 'lost'))
  const files = new RootedFiles({ disk: realDisk, root })
  const message = '/lost/file: /lost is a symbolic link to /gone/away, and /gone is not a directory'
  const failure = { message, code: 'ENOENT' }
  await expect(files.write('/lost/file', text('x'))).rejects.toMatchObject(failure)
  await expect(files.read('/lost/file')).rejects.toMatchObject(failure)
  expect(await files.stat('/lost/file')).toBeUndefined()
  expect(await files.list('/lost')).toEqual([])
})

it('a label that cannot be set is reported with the path on the machine', async () => {
  const root = await newRoot()
  const labels = {
    apply: (fresh: string): Promise<void> =>
      Promise.reject(new HostFailure(`chcon -- label ${fresh} failed`, 'exit 1')),
  }
  const files = new RootedFiles({ disk: realDisk, root, labels })
  await expect(files.write('/d/file', text('x'))).rejects.toThrow(
    /^chcon -- label \/d\/\S+ failed$/,
  )
})

async function runAndDie({ run }: Case, root: string, death: Death): Promise<void> {
  const faults = new Faults(death)
  const files = new RootedFiles({ disk: faultyDisk(realDisk, faults), root })
  void run(files)
  await faults.died
}

async function runWith({ run }: Case, root: string, fault: Fault): Promise<unknown> {
  const disk = faultyDisk(realDisk, new Faults(fault))
  return run(new RootedFiles({ disk, root })).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** The class and code of a failure, if its message describes the problem and names the path. */
function shown(outcome: unknown): string {
  if (outcome === undefined) return ''
  const message = messageOf(outcome)
  if (!(outcome instanceof HostFailure)) return message
  const isClear = /^\/(d|way)\/\w+: [a-z]/.test(message) && !message.includes('/proc/')
  return isClear ? `HostFailure ${outcome.code}` : message
}
