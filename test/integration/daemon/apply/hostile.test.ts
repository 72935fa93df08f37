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
import type { Outcome } from '../../../../src/daemon/apply/update.ts'
import type { Disk } from '../../../../src/daemon/host/disk.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { File } from '@machinist/ignition/config'
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
  plainRun,
  plantMachine,
  quickDisk,
  treeAt,
  treeOf,
  updatesOn,
} from '../../../../src/daemon/apply/machine.fixture.ts'

/** Configs and machines that want to lead us astray, from the plan to the disk. */

const empty = machineConfig('none', spec({}))

function apply(host: Host, parts: Parts): Promise<Outcome> {
  const desired = machineConfig('hostile', spec(parts))
  const update = {
    plan: plan({ current: empty, desired, rules: noReboots, facts }),
    current: empty,
    desired,
  }
  return updatesOn(host).run(update, plainRun())
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

function refusal(outcome: Outcome): string {
  return outcome.is === 'rolledBack' ? messageOf(outcome.error) : JSON.stringify(outcome)
}

const withSource = (path: string, source: string, more: object = {}): File => ({
  path,
  mode: 0o644,
  contents: { source, ...more },
})

const sha512 = (text: string): string => `sha512-${createHash('sha512').update(text).digest('hex')}`

describe('a config that no machine should take', () => {
  it.each<[string, File[], RegExp]>([
    ['climbs out of the root', [file('../../etc/shadow', 'x')], /\.\.\/\.\.\/etc\/shadow/],
    ['climbs on its way', [file('/etc/app/../shadow', 'x')], /\/etc\/app\/\.\.\/shadow/],
    ['has a line break in a name', [file('/etc/a\nb', 'x')], /line break/],
    [
      'has the same path twice',
      [file('/etc/a', 'x'), file('/etc/a', 'y')],
      /files\[1\] is a duplicate/,
    ],
    ['has it in another spelling', [file('/etc/a', 'x'), file('/etc//a', 'y')], /\/etc\/\/a/],
    ['has it with a dot', [file('/etc/a', 'x'), file('/etc/./a', 'y')], /\/etc\/\.\/a/],
    [
      'wants the journal',
      [file('/etc/machine-config-daemon/journal/intent.json.gz', '{}')],
      /daemon keeps its own state/,
    ],
    ['wants a device', [file('/dev/sda', 'x')], /kernel's/],
    ['puts a file below a file', [file('/etc/a', 'x'), file('/etc/a/b', 'y')], /below \/etc\/a/],
    [
      'is no gzip',
      [withSource('/etc/a', 'data:,nonsense', { compression: 'gzip' })],
      /\/etc\/a.*gzip|gzip.*\/etc\/a/s,
    ],
    [
      'is not what its hash says',
      [withSource('/etc/a', 'data:,x', { verification: { hash: sha512('y') } })],
      /\/etc\/a/,
    ],
    ['is behind a URL', [withSource('/etc/a', 'https://example.com/a')], /\/etc\/a/],
    [
      'is a bomb',
      [
        withSource(
          '/etc/a',
          `data:;base64,${gzipSync(Buffer.alloc(100 << 20)).toString('base64')}`,
          { compression: 'gzip' },
        ),
      ],
      /file \/etc\/a: the content unpacks to more than/,
    ],
    [
      'is larger than anything',
      [withSource('/etc/a', `data:,${'x'.repeat(100 << 20)}`)],
      /\/etc\/a.*larger|larger.*\/etc\/a/s,
    ],
    [
      'belongs to nobody',
      [{ ...file('/etc/a', 'x'), user: { name: 'nobody-here' } }],
      /\/etc\/a shall belong to the user nobody-here, which this machine does not have/,
    ],
  ])('%s: refused, with the reason, and nothing is touched', async (_, files, reason) => {
    const machine = new MemoryHost()
    const before = await treeOf(machine.files)
    expect(refusal(await apply(machine, { files }))).toMatch(reason)
    expect(await treeOf(machine.files)).toEqual(before)
  })

  it('has 50,000 files: they are all there', async () => {
    const machine = new MemoryHost()
    const files = Array.from({ length: 50_000 }, (_, i) =>
      file(`/etc/many/${i % 100}/${i}`, `${i}`),
    )
    expect(await apply(machine, { files })).toEqual({ is: 'applied' })
    expect(await machine.files.list('/etc/many')).toHaveLength(100)
    expect(Buffer.from(await machine.files.read('/etc/many/99/49999')).toString()).toBe('49999')
  }, 120_000)
})

describe.skipIf(process.getuid?.() !== 0)('a machine that somebody has prepared', () => {
  let root: string
  let outside: string
  beforeEach(async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'machinist-hostile-'))
    root = join(scratch, 'root')
    outside = join(scratch, 'outside')
    await mkdir(root)
    await mkdir(outside)
    await plantMachine(root)
  })
  afterEach(() => rm(join(root, '..'), { recursive: true, force: true }))

  it("does not lead root through a user's link", async () => {
    await symlink('/root', join(root, 'home/core/.ssh'))
    await lchown(join(root, 'home/core/.ssh'), 1000, 1000)
    const before = await treeAt(root)
    const outcome = await apply(machineAt(root), {
      users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }],
    })
    expect(refusal(outcome)).toContain('/home/core/.ssh')
    expect(await treeAt(root)).toEqual(before)
  })

  it("does not put keys into somebody else's directory", async () => {
    await mkdir(join(root, 'home/core/.ssh'))
    execFileSync('chown', ['2000:2000', join(root, 'home/core/.ssh')])
    const outcome = await apply(machineAt(root), {
      users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }],
    })
    expect(refusal(outcome)).toBe('/home/core/.ssh must be a directory of the user 1000; remove it')
  })

  it('has a link out of the root, which leads nowhere', async () => {
    await symlink(`../../../../../../..${outside}`, join(root, 'etc/app'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/app/x', 'x')] })
    expect(refusal(outcome)).toContain('/etc/app/x')
    expect(await readdir(outside)).toEqual([])
  })

  it('has a directory elsewhere: it is followed as the machine itself would', async () => {
    await mkdir(join(root, 'var/app'))
    await symlink('/var/app', join(root, 'etc/app'))
    expect(await apply(machineAt(root), { files: [file('/etc/app/x', 'x')] })).toEqual({
      is: 'applied',
    })
    expect(await readFile(join(root, 'var/app/x'), 'utf8')).toBe('x')
  })

  it('swaps a directory for a link while we write', async () => {
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
    expect(outcome.is).not.toBe('applied')
  })

  it.each([
    ['pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['device', (path: string) => execFileSync('mknod', [path, 'c', '1', '3'])],
  ])('has a %s at the path: refused', async (_, make) => {
    make(join(root, 'etc/odd'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd cannot be replaced: there is a device, socket or pipe')
    expect((await stat(join(root, 'etc/odd'))).isFile()).toBe(false)
  })

  it('has a directory at the path: refused', async () => {
    await mkdir(join(root, 'etc/odd'))
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd cannot be written: there is a directory')
  })

  it('has a file where a directory must be: refused', async () => {
    await writeFile(join(root, 'etc/odd'), 'x')
    const outcome = await apply(machineAt(root), { files: [file('/etc/odd/x', 'x')] })
    expect(refusal(outcome)).toBe('/etc/odd must be a directory, but something else is there')
  })

  it('has 100 MB where a file is to be: kept as the original', async () => {
    await writeFile(join(root, 'etc/large'), 'x')
    await truncate(join(root, 'etc/large'), 100 << 20)
    expect(await apply(machineAt(root), { files: [file('/etc/large', 'small')] })).toEqual({
      is: 'applied',
    })
    const kept = await stat(join(root, 'etc/machine-config-daemon/orig/etc/large.mcdorig'))
    expect(kept.size).toBe(100 << 20)
  }, 60_000)

  it('has more than fits into memory where a file is to be: refused', async () => {
    await writeFile(join(root, 'etc/large'), 'x')
    await truncate(join(root, 'etc/large'), 20 * 2 ** 30)
    const outcome = await apply(machineAt(root), { files: [file('/etc/large', 'small')] })
    expect(refusal(outcome)).toBe('/etc/large is larger than 268435456 bytes')
  })
})
