import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import type { File } from '@machinist/ignition/spec/config'
import type { UpdateOutcome } from '../../../../src/daemon/apply/update.ts'
import type { Disk } from '../../../../src/daemon/host/files/disk.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { plan } from '../../../../src/planner/plan.ts'
import type { Parts } from '../../../../src/planner/configs.fixture.ts'
import {
  defaultRules,
  facts,
  file,
  machineConfig,
  spec,
} from '../../../../src/planner/configs.fixture.ts'
import {
  machineAt,
  testRun,
  seedMachine,
  quickDisk,
  treeAt,
  treeOf,
  createUpdates,
} from '../../../../src/daemon/apply/machine.fixture.ts'

/** Malicious configs and machines, from the plan to the disk. */

const empty = machineConfig('none', spec({}))

function apply(host: Host, parts: Parts): Promise<UpdateOutcome> {
  const desired = machineConfig('hostile', spec(parts))
  const update = {
    plan: plan({ current: empty, desired, rules: noReboots, facts }),
    current: empty,
    desired,
  }
  return createUpdates(host).run(update, testRun())
}

const noReboots = {
  policies: {
    ...defaultRules.policies,
    files: [
      { path: '/', actions: [{ type: 'None' as const }] },
      ...['/etc', '/home', '/opt'].map((path) => ({ path, actions: [{ type: 'None' as const }] })),
    ],
    sshkey: { actions: [{ type: 'None' as const }] },
  },
}

function refusal(outcome: UpdateOutcome): string {
  return outcome.type === 'rolledBack' ? messageOf(outcome.error) : JSON.stringify(outcome)
}

const withSource = (path: string, source: string, more: object = {}): File => ({
  path,
  mode: 0o644,
  contents: { source, ...more },
})

const sha512 = (text: string): string => `sha512-${createHash('sha512').update(text).digest('hex')}`

describe('a config that must be rejected', () => {
  it.each<[string, File[], RegExp]>([
    ['climbs out of the root', [file('../../etc/shadow', 'x')], /\.\.\/\.\.\/etc\/shadow/],
    ['has .. in a path', [file('/etc/app/../shadow', 'x')], /\/etc\/app\/\.\.\/shadow/],
    ['has a line break in a name', [file('/etc/a\nb', 'x')], /line break/],
    [
      'has the same path twice',
      [file('/etc/a', 'x'), file('/etc/a', 'y')],
      /files\[1\] is a duplicate/,
    ],
    [
      'has a path that is not normalized',
      [file('/etc/a', 'x'), file('/etc//a', 'y')],
      /\/etc\/\/a/,
    ],
    ['has . in a path', [file('/etc/a', 'x'), file('/etc/./a', 'y')], /\/etc\/\.\/a/],
    [
      'writes to the journal',
      [file('/etc/machine-config-daemon/journal/intent.json.gz', '{}')],
      /reserved for the daemon/,
    ],
    ['writes to a device', [file('/dev/sda', 'x')], /belongs to the kernel/],
    ['has a file below a file', [file('/etc/a', 'x'), file('/etc/a/b', 'y')], /below \/etc\/a/],
    [
      'has invalid gzip',
      [withSource('/etc/a', 'data:,nonsense', { compression: 'gzip' })],
      /\/etc\/a.*gzip|gzip.*\/etc\/a/s,
    ],
    [
      'has another hash',
      [withSource('/etc/a', 'data:,x', { verification: { hash: sha512('y') } })],
      /\/etc\/a/,
    ],
    ['has a remote URL', [withSource('/etc/a', 'https://example.com/a')], /\/etc\/a/],
    [
      'has a gzip bomb',
      [
        withSource(
          '/etc/a',
          `data:;base64,${gzipSync(Buffer.alloc(100 << 20)).toString('base64')}`,
          { compression: 'gzip' },
        ),
      ],
      /file \/etc\/a: the content decompresses to more than/,
    ],
    [
      'has too large a file',
      [withSource('/etc/a', `data:,${'x'.repeat(100 << 20)}`)],
      /\/etc\/a.*larger|larger.*\/etc\/a/s,
    ],
    [
      'has an owner that does not exist',
      [{ ...file('/etc/a', 'x'), user: { name: 'nobody-here' } }],
      /\/etc\/a must belong to user nobody-here, which does not exist on this machine/,
    ],
  ])('%s: is refused with the reason, and changes nothing', async (_, files, reason) => {
    const machine = new MemoryHost()
    const before = await treeOf(machine.files)
    expect(refusal(await apply(machine, { files }))).toMatch(reason)
    expect(await treeOf(machine.files)).toEqual(before)
  })

  it('with 50,000 files is applied', async () => {
    const machine = new MemoryHost()
    const files = Array.from({ length: 50_000 }, (_, i) =>
      file(`/etc/many/${i % 100}/${i}`, `${i}`),
    )
    expect(await apply(machine, { files })).toEqual({ type: 'applied' })
    expect(await machine.files.list('/etc/many')).toHaveLength(100)
    expect(Buffer.from(await machine.files.read('/etc/many/99/49999')).toString()).toBe('49999')
  }, 120_000)
})

describe.skipIf(process.getuid?.() !== 0)('a machine that an attacker has prepared', () => {
  let root: string
  let outside: string
  beforeEach(async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'machinist-hostile-'))
    root = join(scratch, 'root')
    outside = join(scratch, 'outside')
    await mkdir(root)
    await mkdir(outside)
    await seedMachine(root)
  })
  afterEach(() => rm(join(root, '..'), { recursive: true, force: true }))

  it('does not make the daemon follow a link of a user', async () => {
    await symlink('/root', join(root, 'home/core/.ssh'))
    await lchown(join(root, 'home/core/.ssh'), 1000, 1000)
    const before = await treeAt(root)
    const outcome = await apply(machineAt(root), {
      users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }],
    })
    expect(refusal(outcome)).toContain('/home/core/.ssh')
    expect(await treeAt(root)).toEqual(before)
  })

  it('gets no keys in a directory of another user', async () => {
    await mkdir(join(root, 'home/core/.ssh'))
    execFileSync('chown', ['2000:2000', join(root, 'home/core/.ssh')])
    const outcome = await apply(machineAt(root), {
      users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }],
    })
    expect(refusal(outcome)).toBe(
      '/home/core/.ssh is not a directory that user 1000 or root owns; remove it',
    )
  })

  it('with a link out of the root: the link is dangling', async () => {
    await symlink(`../../../../../../..${outside}`, join(root, 'etc/app'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/app/x', 'x')] })
    expect(refusal(outcome)).toContain('/etc/app/x')
    expect(await readdir(outside)).toEqual([])
  })

  it('with a link of root to another directory: the link is followed', async () => {
    await mkdir(join(root, 'var/app'))
    await symlink('/var/app', join(root, 'etc/app'))
    expect(await apply(machineAt(root), { files: [file('/etc/app/x', 'x')] })).toEqual({
      type: 'applied',
    })
    expect(await readFile(join(root, 'var/app/x'), 'utf8')).toBe('x')
  })

  it('that replaces a directory by a link during a write: the root is not left', async () => {
    await mkdir(join(root, 'etc/app'))
    const disk: Disk = {
      ...quickDisk,
      async rename(from, to) {
        if (to.endsWith('/x')) {
          await rename(join(root, 'etc/app'), join(root, 'etc/moved')).catch(() => {})
          await symlink(outside, join(root, 'etc/app')).catch(() => {})
        }
        return quickDisk.rename(from, to)
      },
    }
    const outcome = await apply(machineAt(root, disk), { files: [file('/etc/app/x', 'x')] })
    expect(await readdir(outside)).toEqual([])
    expect(outcome.type).not.toBe('applied')
  })

  it.each([
    ['pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['device', (path: string) => execFileSync('mknod', [path, 'c', '1', '3'])],
  ])('with a %s at the path: the update is refused', async (_, make) => {
    make(join(root, 'etc/odd'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd cannot be replaced: it is a device, socket or pipe')
    expect((await stat(join(root, 'etc/odd'))).isFile()).toBe(false)
  })

  it('with a directory at the path: the update is refused', async () => {
    await mkdir(join(root, 'etc/odd'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd cannot be written: it is a directory')
  })

  it('with a file in place of a directory: the update is refused', async () => {
    await writeFile(join(root, 'etc/odd'), 'x')
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd/x', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd exists and is not a directory; remove it')
  })

  it('with a file of 100 MB at the path: it is kept as the original', async () => {
    await writeFile(join(root, 'etc/large'), 'x')
    await truncate(join(root, 'etc/large'), 100 << 20)
    expect(await apply(machineAt(root), { files: [file('/etc/large', 'small')] })).toEqual({
      type: 'applied',
    })
    const kept = await stat(join(root, 'etc/machine-config-daemon/orig/etc/large.mcdorig'))
    expect(kept.size).toBe(100 << 20)
  }, 60_000)

  it('with a file at the path that is too large for memory: the update is refused', async () => {
    await writeFile(join(root, 'etc/large'), 'x')
    await truncate(join(root, 'etc/large'), 20 * 2 ** 30)
    const outcome = await apply(machineAt(root), { files: [file('/etc/large', 'small')] })
    expect(refusal(outcome)).toBe('/etc/large is larger than 268435456 bytes')
  })
})
