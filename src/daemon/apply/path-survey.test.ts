import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../api/node-paths.ts'
import { plainRun, updatesOn } from '../../../test/daemon/apply/machine.ts'
import { apply, updateBetween } from '../../../test/daemon/apply/update-between.ts'
import { file } from '../../../test/planner/configs.ts'
import type { Parts } from '../../../test/planner/configs.ts'
import { MemoryHost } from '../host/memory/memory-host.ts'

const applied = { is: 'applied' }
const state = nodePaths.state

async function text({ files }: MemoryHost, path: string): Promise<string | undefined> {
  if ((await files.look(path)) === undefined) return undefined
  return Buffer.from(await files.read(path)).toString()
}

async function machineWith(contents: Readonly<Record<string, string>>): Promise<MemoryHost> {
  const host = new MemoryHost()
  for (const [path, content] of Object.entries(contents)) {
    await host.files.write(path, { content: Buffer.from(content), mode: 0o640, uid: 0, gid: 10 })
  }
  return host
}

/** One config after the other, beginning with none. */
async function through(host: MemoryHost, ...configs: readonly Parts[]): Promise<void> {
  let before: Parts = {}
  for (const after of configs) {
    expect(await apply(host, before, after)).toEqual(applied)
    before = after
  }
}

describe('a file that was there before any config', () => {
  it('is kept when it is replaced, through all configs, and given back at the end', async () => {
    const host = await machineWith({ '/etc/a': 'shipped' })
    await through(host, { files: [file('/etc/a', 'one')] }, { files: [file('/etc/a', 'two')] })
    expect(await text(host, `${state}/orig/etc/a.mcdorig`)).toBe('shipped')
    expect(await apply(host, { files: [file('/etc/a', 'two')] }, {})).toEqual(applied)
    expect(await text(host, '/etc/a')).toBe('shipped')
    expect(await host.files.look('/etc/a')).toMatchObject({ mode: 0o640, gid: 10 })
    expect(await host.files.look(`${state}/orig`)).toBeUndefined()
  })

  it('is kept even if it is the same', async () => {
    const host = await machineWith({ '/etc/a': 'same' })
    await host.files.change('/etc/a', { mode: 0o644, uid: 0, gid: 0 })
    await through(host, { files: [file('/etc/a', 'same')] })
    expect(await text(host, `${state}/orig/etc/a.mcdorig`)).toBe('same')
    await apply(host, { files: [file('/etc/a', 'same')] }, {})
    expect(await text(host, '/etc/a')).toBe('same')
  })

  it('may be a link, and is a link again', async () => {
    const host = await machineWith({})
    await host.files.link('/etc/a', '../usr/a')
    await through(host, { files: [file('/etc/a', 'one')] }, {})
    expect(await host.files.look('/etc/a')).toMatchObject({ type: 'symlink', target: '../usr/a' })
  })

  it.each([
    ['unit', '/etc/systemd/system/crio.service', { name: 'crio.service', contents: '[Unit]\n' }],
    ['mask', '/etc/systemd/system/crio.service', { name: 'crio.service', mask: true }],
  ])('comes back after a %s', async (_, path, unit) => {
    const host = await machineWith({ [path]: '[Unit]\nDescription=shipped\n' })
    await through(host, { units: [unit] }, {})
    expect(await text(host, path)).toBe('[Unit]\nDescription=shipped\n')
  })

  it('comes back after a drop-in', async () => {
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

describe('a path that had nothing', () => {
  it('is stamped, and empty again at the end, together with the directories that were made', async () => {
    const host = await machineWith({})
    const names = await host.files.list('/etc')
    await through(host, { files: [file('/etc/x/y/a', 'one')] })
    expect(await text(host, `${state}/noorig/etc/x/y/a.mcdnoorig`)).toBe('')
    expect(await text(host, nodePaths.madeDirectories)).toContain('"/etc/x/y"')
    await apply(host, { files: [file('/etc/x/y/a', 'one')] }, {})
    expect(await host.files.list('/etc')).toEqual([...names, 'machine-config-daemon'].sort())
    expect(await host.files.list(state)).toEqual(['currentconfig', 'made-directories.json'])
  })

  it('keeps a directory in which somebody else put something', async () => {
    const host = await machineWith({})
    await through(host, { files: [file('/etc/x/a', 'one')] })
    await host.files.write('/etc/x/b', { content: Buffer.from('b'), mode: 0o644, uid: 0, gid: 0 })
    await apply(host, { files: [file('/etc/x/a', 'one')] }, {})
    expect(await host.files.list('/etc/x')).toEqual(['b'])
  })

  it('needs no register that makes sense', async () => {
    const host = await machineWith({})
    await through(host, { files: [file('/etc/x/a', 'one')] })
    const nonsense = {
      content: Buffer.from('["/etc/x", 5, "../..", '),
      mode: 0o600,
      uid: 0,
      gid: 0,
    }
    await host.files.write(nodePaths.madeDirectories, nonsense)
    expect(await apply(host, { files: [file('/etc/x/a', 'one')] }, {})).toEqual(applied)
    expect(await host.files.list('/etc/x')).toEqual([])
  })
})

describe('keys', () => {
  it.each(['authorized_keys', 'authorized_keys.d/ignition'] as const)(
    'are at %s',
    async (keysPath) => {
      const host = await machineWith({})
      const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B'] }]
      const update = updateBetween({}, { users }, { keysPath })
      expect(await updatesOn(host).run(update, plainRun())).toEqual(applied)
      const path = `/home/core/.ssh/${keysPath}`
      expect(await text(host, path)).toBe('ssh-rsa A\nssh-rsa B\n')
      expect(await host.files.look(path)).toMatchObject({ mode: 0o600, uid: 1000, gid: 1000 })
      expect(await host.files.look('/home/core/.ssh')).toMatchObject({ mode: 0o700, uid: 1000 })
    },
  )

  it('of a user that the machine does not have are left alone', async () => {
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

describe('the kubeconfig of first boot', () => {
  it('is closed to others', async () => {
    const host = new MemoryHost()
    await host.files.makeDirectory('/etc/kubernetes', { mode: 0o755, uid: 0, gid: 0 })
    const kubeconfig = { content: Buffer.from('token'), mode: 0o644, uid: 0, gid: 0 }
    await host.files.write('/etc/kubernetes/kubeconfig', kubeconfig)
    await through(host, { files: [file('/etc/a', 'one')] })
    expect(await host.files.look('/etc/kubernetes/kubeconfig')).toMatchObject({ mode: 0o600 })
    expect(await text(host, '/etc/kubernetes/kubeconfig')).toBe('token')
  })

  it('is not needed, and a config that brings it decides about it', async () => {
    const host = new MemoryHost()
    await through(host, { files: [file('/etc/a', 'one')] })
    await through(host, { files: [file('/etc/kubernetes/kubeconfig', 'token', 0o644)] })
    expect(await host.files.look('/etc/kubernetes/kubeconfig')).toMatchObject({ mode: 0o644 })
  })
})
