import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Resource } from '@machinist/ignition/spec/config'
import { nodePaths } from '../../../api/node-paths.ts'
import { testRun, treeOf, createUpdates } from '../machine.fixture.ts'
import { apply, updateBetween } from '../update-between.fixture.ts'
import { file } from '../../../planner/configs.fixture.ts'
import type { Parts } from '../../../planner/configs.fixture.ts'
import { HostFailure } from '../../host/host-failure.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import { getEnablement } from '../machine/enablement.ts'

const applied = { type: 'applied' }
const state = nodePaths.state

async function text({ files }: MemoryHost, path: string): Promise<string | undefined> {
  if ((await files.stat(path)) === undefined) return undefined
  return Buffer.from(await files.read(path)).toString()
}

async function machineWith(contents: Readonly<Record<string, string>>): Promise<MemoryHost> {
  const host = new MemoryHost()
  for (const [path, content] of Object.entries(contents)) {
    await host.files.write(path, { content: Buffer.from(content), mode: 0o640, uid: 0, gid: 10 })
  }
  return host
}

/** Applies one config after the other, starting without one. */
async function through(host: MemoryHost, ...configs: readonly Parts[]): Promise<void> {
  let before: Parts = {}
  for (const after of configs) {
    expect(await apply(host, before, after)).toEqual(applied)
    before = after
  }
}

describe('a file that existed before any config', () => {
  it('is kept through all configs that replace it, and restored at the end', async () => {
    const host = await machineWith({ '/etc/a': 'shipped' })
    await through(host, { files: [file('/etc/a', 'one')] }, { files: [file('/etc/a', 'two')] })
    expect(await text(host, `${state}/orig/etc/a.mcdorig`)).toBe('shipped')
    expect(await apply(host, { files: [file('/etc/a', 'two')] }, {})).toEqual(applied)
    expect(await text(host, '/etc/a')).toBe('shipped')
    expect(await host.files.stat('/etc/a')).toMatchObject({ mode: 0o640, gid: 10 })
    expect(await host.files.stat(`${state}/orig`)).toBeUndefined()
  })

  it('is kept even if its content is the same', async () => {
    const host = await machineWith({ '/etc/a': 'same' })
    await host.files.change('/etc/a', { mode: 0o644, uid: 0, gid: 0 })
    await through(host, { files: [file('/etc/a', 'same')] })
    expect(await text(host, `${state}/orig/etc/a.mcdorig`)).toBe('same')
    await apply(host, { files: [file('/etc/a', 'same')] }, {})
    expect(await text(host, '/etc/a')).toBe('same')
  })

  it('may be a link, and is restored as a link', async () => {
    const host = await machineWith({})
    await host.files.link('/etc/a', '../usr/a')
    await through(host, { files: [file('/etc/a', 'one')] }, {})
    expect(await host.files.stat('/etc/a')).toMatchObject({ type: 'symlink', target: '../usr/a' })
  })

  it.each([
    ['unit', '/etc/systemd/system/crio.service', { name: 'crio.service', contents: '[Unit]\n' }],
    ['mask', '/etc/systemd/system/crio.service', { name: 'crio.service', mask: true }],
  ])('is restored after a %s', async (_, path, unit) => {
    const host = await machineWith({ [path]: '[Unit]\nDescription=shipped\n' })
    await through(host, { units: [unit] }, {})
    expect(await text(host, path)).toBe('[Unit]\nDescription=shipped\n')
  })

  it('is restored after a drop-in', async () => {
    const path = '/etc/systemd/system/crio.service.d/10.conf'
    const host = await machineWith({})
    const directory = { mode: 0o755, uid: 0, gid: 0 }
    await host.files.makeDirectory('/etc/systemd/system/crio.service.d', directory)
    await host.files.write(path, { content: Buffer.from('shipped'), ...directory, mode: 0o644 })
    const dropins = [{ name: '10.conf', contents: '[Unit]\n' }]
    await through(host, { units: [{ name: 'crio.service', dropins }] }, {})
    expect(await text(host, path)).toBe('shipped')
  })
})

describe('a path that did not exist before', () => {
  it('is recorded, and removed at the end with the directories that were made', async () => {
    const host = await machineWith({})
    const names = await host.files.list('/etc')
    await through(host, { files: [file('/etc/x/y/a', 'one')] })
    expect(await text(host, `${state}/noorig/etc/x/y/a.mcdnoorig`)).toBe('')
    expect(await text(host, nodePaths.madeDirectories)).toContain('"/etc/x/y"')
    await apply(host, { files: [file('/etc/x/y/a', 'one')] }, {})
    expect(await host.files.list('/etc')).toEqual([...names, 'machine-config-daemon'].sort())
    expect(await host.files.list(state)).toEqual(['currentconfig', 'made-directories.json'])
  })

  it('keeps its directory if it contains an unmanaged file', async () => {
    const host = await machineWith({})
    await through(host, { files: [file('/etc/x/a', 'one')] })
    await host.files.write('/etc/x/b', { content: Buffer.from('b'), mode: 0o644, uid: 0, gid: 0 })
    await apply(host, { files: [file('/etc/x/a', 'one')] }, {})
    expect(await host.files.list('/etc/x')).toEqual(['b'])
  })

  it('is removed even if the list of made directories is damaged', async () => {
    const host = await machineWith({})
    await through(host, { files: [file('/etc/x/a', 'one')] })
    const damaged = {
      content: Buffer.from('["/etc/x", 5, "../..", '),
      mode: 0o600,
      uid: 0,
      gid: 0,
    }
    await host.files.write(nodePaths.madeDirectories, damaged)
    expect(await apply(host, { files: [file('/etc/x/a', 'one')] }, {})).toEqual(applied)
    expect(await host.files.list('/etc/x')).toEqual([])
  })
})

describe('a file and a directory at the same path', () => {
  const flat = { files: [file('/etc/x', 'a file')] }
  const deep = { files: [file('/etc/x/y/z', 'inside')] }

  it('replace each other', async () => {
    const host = await machineWith({})
    await through(host, flat, deep)
    expect(await text(host, '/etc/x/y/z')).toBe('inside')
    expect(await apply(host, deep, flat)).toEqual(applied)
    expect(await text(host, '/etc/x')).toBe('a file')
    expect(await apply(host, flat, {})).toEqual(applied)
    expect(await host.files.stat('/etc/x')).toBeUndefined()
  })

  it('do not replace each other if the directory contains an unmanaged file', async () => {
    const host = await machineWith({})
    await through(host, deep)
    await host.files.write('/etc/x/theirs', { content: Buffer.of(), mode: 0o644, uid: 0, gid: 0 })
    const before = await treeOf(host.files)
    expect(await apply(host, deep, flat)).toEqual({
      type: 'rolledBack',
      error: new HostFailure('/etc/x cannot be written: it is a directory', 'EISDIR'),
    })
    expect(await treeOf(host.files)).toEqual(before)
  })

  it('do not replace each other if the directory is unmanaged and has a special mode', async () => {
    const host = await machineWith({})
    await host.files.makeDirectory('/etc/x', { mode: 0o750, uid: 0, gid: 10 })
    await through(host, deep)
    expect(await apply(host, deep, flat)).toMatchObject({
      type: 'rolledBack',
      error: { message: '/etc/x cannot be written: it is a directory' },
    })
    expect(await host.files.stat('/etc/x')).toMatchObject({ mode: 0o750, gid: 10 })
  })

  it('do not replace each other if the original file of the OS is restored', async () => {
    const host = await machineWith({ '/etc/x': 'shipped' })
    await through(host, flat)
    expect(await apply(host, flat, deep)).toMatchObject({
      type: 'rolledBack',
      error: { message: '/etc/x exists and is not a directory; remove it' },
    })
    expect(await text(host, '/etc/x')).toBe('a file')
  })
})

describe('a unit that is masked', () => {
  const system = '/etc/systemd/system'
  const links = async ({ files }: MemoryHost): Promise<readonly string[]> =>
    Object.keys((await getEnablement(files)).links)

  it('loses its links and aliases, and other units keep theirs', async () => {
    const host = await machineWith({})
    await host.units.enable(['crio.service', 'sshd.service'])
    await host.files.link(`${system}/alias.service`, '/usr/lib/systemd/system/crio.service')
    await through(host, { units: [{ name: 'crio.service', mask: true }] })
    expect(await links(host)).toEqual([
      `${system}/crio.service`,
      `${system}/multi-user.target.wants/sshd.service`,
    ])
  })

  it('is enabled again by the previous config, and an empty *.wants directory is removed meanwhile', async () => {
    const host = await machineWith({})
    const enabled = { units: [{ name: 'chronyd.service', enabled: true }] }
    const masked = { units: [{ name: 'chronyd.service', mask: true }] }
    await through(host, enabled)
    const before = await treeOf(host.files)
    expect(await apply(host, enabled, masked)).toEqual(applied)
    expect(await links(host)).toEqual([`${system}/chronyd.service`])
    expect(await host.files.stat(`${system}/multi-user.target.wants`)).toBeUndefined()
    expect(await apply(host, masked, enabled)).toEqual(applied)
    const withoutConfig = (tree: readonly string[]): string[] =>
      tree.filter((line) => !line.startsWith(nodePaths.currentConfig))
    expect(withoutConfig(await treeOf(host.files))).toEqual(withoutConfig(before))
  })
})

describe('a unit with mask: false', () => {
  const path = '/etc/systemd/system/crio.service'
  const units = [{ name: 'crio.service', mask: false }]

  it('loses the mask of an administrator', async () => {
    const host = await machineWith({})
    await host.files.link(path, '/dev/null')
    await through(host, { units })
    expect(await host.files.stat(path)).toBeUndefined()
  })

  it('keeps an unmanaged file', async () => {
    const host = await machineWith({ [path]: '[Unit]\n' })
    await through(host, { units })
    expect(await text(host, path)).toBe('[Unit]\n')
  })
})

describe('a unit that does not exist on the machine', () => {
  it('is skipped, and the update succeeds', async () => {
    const host = await machineWith({})
    const units = [
      { name: 'own.service', enabled: true },
      { name: 'sshd.service', enabled: true },
    ]
    await through(host, { units })
    expect(await host.units.enablement('sshd.service')).toBe('enabled')
    expect(await host.units.enablement('own.service')).toBe('not-found')
  })
})

describe('the content of a file', () => {
  const base64 = (bytes: Uint8Array): string =>
    `data:text/plain;charset=utf-8;base64,${Buffer.from(bytes).toString('base64')}`

  it.each<[string, Resource]>([
    ['in base64', { source: 'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK' }],
    ['percent-encoded', { source: 'data:,hello%20world%0A' }],
    ['compressed', { source: base64(gzipSync('hello world\n')), compression: 'gzip' }],
  ])('%s is written byte for byte', async (_, contents) => {
    const host = await machineWith({})
    await through(host, { files: [{ path: '/etc/a', mode: 420, contents }] })
    expect(await text(host, '/etc/a')).toBe('hello world\n')
    expect(await host.files.stat('/etc/a')).toMatchObject({ mode: 0o644, uid: 0, gid: 0 })
  })

  it('with another compression is refused', () => {
    const contents = { source: 'data:,x', compression: 'xz' }
    const { plan } = updateBetween({}, { files: [{ path: '/etc/a', contents }] })
    expect(plan.reasons).toEqual([
      'invalid Ignition config found in new: $.storage.files[0].contents.compression must be "gzip" or absent',
    ])
  })
})

describe('a unit that overrides a unit of the OS', () => {
  it('is enabled by its own [Install] section', async () => {
    const host = await machineWith({})
    await host.units.enable(['crio.service'])
    const contents = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=default.target\n'
    await through(host, { units: [{ name: 'crio.service', contents, enabled: true }] })
    expect((await getEnablement(host.files)).links).toEqual({
      '/etc/systemd/system/default.target.wants/crio.service': '/etc/systemd/system/crio.service',
    })
  })
})

describe('SSH keys', () => {
  it('that are all removed: the file and its directories are removed, too', async () => {
    const host = await machineWith({})
    const before = await host.files.list('/home/core')
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }]
    await through(host, { users })
    expect(await host.files.list('/home/core/.ssh/authorized_keys.d')).toEqual(['ignition'])
    expect(await apply(host, { users }, {})).toEqual(applied)
    expect(await host.files.list('/home/core')).toEqual(before)
  })

  it('are removed even if the file was changed', async () => {
    const host = await machineWith({})
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }]
    await through(host, { users })
    const path = '/home/core/.ssh/authorized_keys.d/ignition'
    const other = { content: Buffer.from('ssh-rsa B\n'), mode: 0o600, uid: 1000, gid: 1000 }
    await host.files.write(path, other)
    expect(await apply(host, { users }, {})).toEqual(applied)
    expect(await host.files.stat(path)).toBeUndefined()
  })

  it.each(['authorized_keys', 'authorized_keys.d/ignition'] as const)(
    'are at %s',
    async (keysPath) => {
      const host = await machineWith({})
      const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B'] }]
      const update = updateBetween({}, { users }, { keysPath })
      expect(await createUpdates(host).run(update, testRun())).toEqual(applied)
      const path = `/home/core/.ssh/${keysPath}`
      expect(await text(host, path)).toBe('ssh-rsa A\nssh-rsa B\n')
      expect(await host.files.stat(path)).toMatchObject({ mode: 0o600, uid: 1000, gid: 1000 })
      expect(await host.files.stat('/home/core/.ssh')).toMatchObject({ mode: 0o700, uid: 1000 })
    },
  )

  it('of a user that does not exist are ignored', async () => {
    const host = new MemoryHost()
    const passwd = {
      content: Buffer.from('root:x:0:0::/root:/bin/sh\n'),
      mode: 0o644,
      uid: 0,
      gid: 0,
    }
    await host.files.write('/etc/passwd', passwd)
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }]
    expect(await apply(host, {}, { users })).toEqual(applied)
    expect(await host.files.list('/home/core')).toEqual([])
  })
})

describe('the bootstrap kubeconfig', () => {
  it('becomes readable by root only', async () => {
    const host = new MemoryHost()
    await host.files.makeDirectory('/etc/kubernetes', { mode: 0o755, uid: 0, gid: 0 })
    const kubeconfig = { content: Buffer.from('token'), mode: 0o644, uid: 0, gid: 0 }
    await host.files.write('/etc/kubernetes/kubeconfig', kubeconfig)
    await through(host, { files: [file('/etc/a', 'one')] })
    expect(await host.files.stat('/etc/kubernetes/kubeconfig')).toMatchObject({ mode: 0o600 })
    expect(await text(host, '/etc/kubernetes/kubeconfig')).toBe('token')
  })

  it('may be missing, and a config that contains it sets its mode', async () => {
    const host = new MemoryHost()
    await through(host, { files: [file('/etc/a', 'one')] })
    await through(host, { files: [file('/etc/kubernetes/kubeconfig', 'token', 0o644)] })
    expect(await host.files.stat('/etc/kubernetes/kubeconfig')).toMatchObject({ mode: 0o644 })
  })
})
