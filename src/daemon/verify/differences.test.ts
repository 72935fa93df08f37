import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { apply } from '../apply/update-between.fixture.ts'
import { faultyHost, Faults } from '../host/faults.fixture.ts'
import type { Parts } from '../../planner/configs.fixture.ts'
import { file, machineConfig, spec } from '../../planner/configs.fixture.ts'
import { MemoryHost } from '../host/memory/memory-host.ts'
import { findDifferences } from './differences.ts'

const paths = {
  file: '/etc/a-config-file',
  'gzip file': '/etc/a-compressed-file',
  unit: '/etc/systemd/system/own.service',
  'drop-in': '/etc/systemd/system/crio.service.d/10-own.conf',
} as const

const kinds = { file: 'file', 'gzip file': 'file', unit: 'unit', 'drop-in': 'dropin' } as const

type Target = keyof typeof paths

const fixture: Parts = {
  files: [
    file(paths.file, 'thecontents'),
    {
      path: paths['gzip file'],
      mode: 0o644,
      contents: {
        source: `data:;base64,${gzipSync('thefilecontents').toString('base64')}`,
        compression: 'gzip',
      },
    },
  ],
  units: [
    { name: 'own.service', contents: '[Unit]\nDescription=own\n' },
    {
      name: 'crio.service',
      dropins: [{ name: '10-own.conf', contents: '[Unit]\n' }, { name: '20-empty.conf' }],
    },
    { name: 'chronyd.service', mask: true, contents: '[Unit]\n' },
  ],
}
const config = machineConfig('new', spec(fixture))
const owner = { uid: 0, gid: 0 }

let host: MemoryHost
beforeEach(async () => {
  host = new MemoryHost()
  await apply(host, {}, fixture)
})

const put = (path: string, content: string, mode = 0o644): Promise<void> =>
  host.files.write(path, { content: Buffer.from(content), mode, ...owner })

const changes: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'content change': (path) => host.files.append(path, Buffer.from('more')),
  'atomic overwrite': (path) => put(path, 'other'),
  touch: async (path) => put(path, Buffer.from(await host.files.read(path)).toString()),
  'rename away': (path) => host.files.move(path, '/etc/elsewhere'),
  delete: (path) => host.files.remove(path),
  'chmod 0755': (path) => host.files.change(path, { mode: 0o755, ...owner }),
}

const seen: Readonly<Record<string, readonly string[]>> = {
  'content change': ['has content'],
  'atomic overwrite': ['has content'],
  touch: [],
  'rename away': ['does not exist'],
  delete: ['does not exist'],
  'chmod 0755': ['has mode 0755, expected 0644'],
}

const targets: readonly Target[] = ['file', 'gzip file', 'unit', 'drop-in']
const table = targets.flatMap((target) =>
  Object.keys(changes).map((change) => [target, change] as const),
)

describe('drift', () => {
  it.each(table)('of a %s: %s', async (target, change) => {
    await changes[change]!(paths[target])
    const found = await findDifferences(host, config, { os: true })
    const [kind, at] = [kinds[target], paths[target]]
    const where = found.map((one) => ({ kind: one.kind, at: one.at }))
    expect(where).toEqual(seen[change]!.map(() => ({ kind, at })))
    for (const [i, what] of seen[change]!.entries()) expect(found[i]!.what).toContain(what)
  })

  it('is not reported for a masked unit with contents, and for a drop-in without', async () => {
    expect(await findDifferences(host, config, { os: true })).toEqual([])
    await put('/etc/systemd/system/crio.service.d/20-empty.conf', '')
    expect(await findDifferences(host, config, { os: true })).toEqual([])
  })

  it('is reported completely, with digests, modes and owners', async () => {
    await host.files.write(paths.file, {
      content: Buffer.from('secret'),
      mode: 0o600,
      uid: 1,
      gid: 2,
    })
    await host.files.remove('/etc/systemd/system/chronyd.service')
    await put('/etc/systemd/system/crio.service.d/20-empty.conf', 'x')
    await host.files.remove(paths['gzip file'])
    await host.files.makeDirectory(paths['gzip file'], { mode: 0o755, ...owner })
    await host.files.link(paths.unit, 'elsewhere')
    const at = paths.file
    expect(await findDifferences(host, config, { os: true })).toEqual([
      { kind: 'file', at, what: 'has mode 0600, expected 0644' },
      { kind: 'file', at, what: 'belongs to 1:2, expected 0:0' },
      {
        kind: 'file',
        at,
        what: 'has content sha256:2bb80d537b1d, expected sha256:98d9ffd414b2',
      },
      { kind: 'file', at: paths['gzip file'], what: 'is a directory, expected a file' },
      { kind: 'unit', at: paths.unit, what: 'is a symbolic link, expected a file' },
      {
        kind: 'unit',
        at: '/etc/systemd/system/chronyd.service',
        what: 'is not masked, expected masked',
      },
      {
        kind: 'dropin',
        at: '/etc/systemd/system/crio.service.d/20-empty.conf',
        what: 'has content, expected none',
      },
    ])
  })

  it('is not reported for files that another component manages', async () => {
    await put(paths.file, 'newer')
    const except = new Set<string>([paths.file])
    expect(await findDifferences(host, config, { os: true, except })).toEqual([])
  })

  it('is reported for a file that cannot be read, and the comparison continues', async () => {
    await put(paths.unit, 'other')
    const faults = new Faults({ at: 1, fail: 'EIO', only: (name) => name.endsWith(paths.file) })
    const found = await findDifferences(faultyHost(host, faults), config, { os: false })
    expect(found.map(({ at, what }) => `${at} ${what.slice(0, 15)}`)).toEqual([
      `${paths.file} cannot be read:`,
      `${paths.unit} has content sha`,
    ])
  })

  it('of SSH keys is reported on request', async () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A'] }]
    const keys = { user: 'core', path: 'authorized_keys.d/ignition' }
    const withKeys = machineConfig('new', spec({ users }))
    const at = '/home/core/.ssh/authorized_keys.d/ignition'
    expect(await findDifferences(host, withKeys, { os: false, keys })).toEqual([
      { kind: 'sshKeys', at, what: 'does not exist' },
    ])
    await apply(host, {}, { users })
    expect(await findDifferences(host, withKeys, { os: false, keys })).toEqual([])
  })

  it('of removed SSH keys is reported unless the file is absent or empty', async () => {
    const keys = { user: 'core', path: 'keys' }
    const [at, none] = ['/home/core/.ssh/keys', machineConfig('new', spec({}))]
    const found = (): Promise<unknown> => findDifferences(host, none, { os: false, keys })
    expect(await found()).toEqual([])
    await host.files.makeDirectory('/home/core/.ssh', { mode: 0o700, uid: 1000, gid: 1000 })
    await put(at, '')
    expect(await found()).toEqual([])
    await put(at, 'ssh-rsa A\n')
    expect(await found()).toEqual([{ kind: 'sshKeys', at, what: 'has keys, expected none' }])
    await host.files.link(at, 'others')
    expect(await found()).toEqual([{ kind: 'sshKeys', at, what: 'has keys, expected none' }])
  })
})

describe('units', () => {
  it.each([
    [true, false, 'is disabled, expected enabled'],
    [false, true, 'is enabled, expected disabled'],
    [true, true, undefined],
    [false, false, undefined],
  ])('expected to be enabled: %s, actually enabled: %s', async (enabled, fact, what) => {
    await (fact ? host.units.enable(['sshd.service']) : host.units.disable(['sshd.service']))
    const desired = machineConfig('new', spec({ units: [{ name: 'sshd.service', enabled }] }))
    const at = '/etc/systemd/system/sshd.service'
    const expected = what === undefined ? [] : [{ kind: 'unit', at, what }]
    expect(await findDifferences(host, desired, { os: false })).toEqual(expected)
  })
})

describe('the operating system', () => {
  it('is compared as booted, not as staged, and repeated arguments are counted', async () => {
    const { booted } = await host.os.state()
    await host.os.stage({ ...booted, image: 'os:2', kernelArguments: ['a=0', 'b=1', 'a=0'] })
    const desired = machineConfig('new', {
      osImageURL: 'os:2',
      kernelArguments: ['a=0', 'b=1 a=0', 'bar="hello world"'],
    })
    expect(await findDifferences(host, desired, { os: false })).toEqual([])
    const image = {
      kind: 'osImage',
      at: 'the operating system',
      what: 'expected target osImageURL os:2, have machine-os.example/os:1',
    }
    const lines = async (): Promise<unknown> => findDifferences(host, desired, { os: true })
    const missing = 'missing expected kernel arguments:'
    expect(await lines()).toEqual([
      image,
      {
        kind: 'kernelArguments',
        at: 'the kernel',
        what: `${missing} a=0 b=1 a=0 bar="hello world"`,
      },
    ])
    await host.boot()
    expect(await lines()).toEqual([
      { kind: 'kernelArguments', at: 'the kernel', what: `${missing} bar="hello world"` },
    ])
  })

  it('is not compared if the config is invalid', async () => {
    const broken = machineConfig('new', { config: { ignition: { version: '9.9.9' } } })
    const [first] = await findDifferences(host, broken, { os: true })
    expect(first).toMatchObject({ kind: 'file', at: 'new' })
  })
})

describe('a list with the same path twice', () => {
  it('uses the last entry, in spec 2', async () => {
    const entry = (content: string): object => ({
      filesystem: 'root',
      path: '/etc/twice',
      mode: 420,
      contents: { source: `data:,${content}` },
    })
    const twice = machineConfig('new', {
      config: {
        ignition: { version: '2.2.0' },
        storage: { files: [entry('first'), entry('last')] },
      },
    })
    await put('/etc/twice', 'last')
    expect(await findDifferences(host, twice, { os: false })).toEqual([])
  })
})
