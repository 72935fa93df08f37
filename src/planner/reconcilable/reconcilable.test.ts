import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Config } from '@machinist/ignition/spec/config'
import type { Parts } from '../configs.fixture.ts'
import { defaultRules, facts, file, machineConfig, planned, spec } from '../configs.fixture.ts'
import type { PlanRules, StorageOverride } from '../model/plan-input.ts'
import { plan } from '../plan.ts'

const disks: Parts = { config: { storage: { disks: [{ device: '/one' }] } } }
const filesystems: Parts = {
  config: {
    storage: { filesystems: [{ device: '/dev/sda1', format: 'ext4', path: '/foo/bar' }] },
  },
}
const raid: Parts = {
  config: {
    storage: { raid: [{ name: 'data', level: 'stripe', devices: ['/dev/vda', '/dev/vdb'] }] },
  },
}
const luks: Parts = {
  config: {
    storage: {
      luks: [
        {
          name: 'luks-tang',
          device: '/dev/sdb',
          clevis: { tang: [{ url: 'https://tang.example.com', thumbprint: 'TREPLACE' }] },
        },
      ],
    },
  },
}
const core = (...sshAuthorizedKeys: string[]): { name: string; sshAuthorizedKeys: string[] } => ({
  name: 'core',
  sshAuthorizedKeys,
})
const refusedUser = 'ignition passwd user section contains unsupported changes: '

describe('a running node rejects', () => {
  it.each<[string, Parts, Parts, string[]]>([
    ['R2: nothing', {}, {}, []],
    [
      'R3: disks',
      disks,
      {},
      ['ignition disks section contains changes: disks are partitioned only on first boot'],
    ],
    ['R5: equal disks', disks, disks, []],
    [
      'R6: file systems',
      filesystems,
      {},
      [
        'ignition filesystems section contains changes: file systems are created only on first boot',
      ],
    ],
    [
      'R7: raid',
      raid,
      {},
      ['ignition raid section contains changes: arrays are created only on first boot'],
    ],
    [
      'R8: groups',
      {},
      { config: { passwd: { groups: [{ name: 'testGroup' }] } } },
      ['ignition passwd groups section contains changes'],
    ],
    [
      'R9: kernel arguments of Ignition',
      {},
      { config: { kernelArguments: { shouldExist: ['foo=bar'], shouldNotExist: ['baz=foo'] } } },
      [
        'ignition kargs section contains changes; use spec.kernelArguments of a MachineConfig instead',
      ],
    ],
    ['R10: luks', luks, {}, []],
    [
      'R11: FIPS',
      { fips: false },
      { fips: true },
      ['detected change to FIPS flag (off → on); refusing to modify FIPS on a running cluster'],
    ],
    [
      'R12: the force file',
      {},
      { files: [file('/run/machine-config-daemon-force')] },
      ['cannot create /run/machine-config-daemon-force via Ignition'],
    ],
    ['R13: the first keys', {}, { users: [core('5678', 'abc')] }, []],
    [
      'R14: another user',
      { users: [core('1234')] },
      { users: [{ name: 'another user', sshAuthorizedKeys: ['5678'] }] },
      [`${refusedUser}non-core user "another user"; user must be core`],
    ],
    [
      'R15: a home directory',
      { users: [core('1234')] },
      { users: [{ ...core('5678'), homeDir: 'somedir' }] },
      [
        `${refusedUser}changes other than SSH keys and password hash are not reconcilable (homeDir)`,
      ],
    ],
    [
      'R16: a second user',
      { users: [core('1234')] },
      { users: [core('1234'), { name: 'some user', sshAuthorizedKeys: ['5678'] }] },
      [`${refusedUser}non-core user "some user"; user must be core`],
    ],
    [
      'R17: no keys',
      { users: [core('1234')] },
      { users: [core()] },
      [`${refusedUser}user must be core and have 1 or more sshKeys or a password hash`],
    ],
    ['R18: no users', { users: [core('1234')] }, {}, []],
    ['R20: a file', {}, { files: [file('/home/core/test')] }, []],
    [
      'R24: a sticky bit',
      {},
      { files: [file('/etc/x', '', 0o1777)] },
      ['invalid mode 1777 of file /etc/x: it cannot exceed 0777'],
    ],
    [
      'directories',
      {},
      { config: { storage: { directories: [{ path: '/opt/x' }] } } },
      ['ignition directories section contains changes: directories are created only on first boot'],
    ],
    [
      'links',
      {},
      { config: { storage: { links: [{ path: '/opt/x', target: '/etc' }] } } },
      ['ignition links section contains changes: links are created only on first boot'],
    ],
    [
      'removed links',
      { config: { storage: { links: [{ path: '/opt/x', target: '/etc' }] } } },
      {},
      [],
    ],
    [
      'append',
      {},
      { files: [{ path: '/etc/x', append: [{ source: 'data:,x' }] }] },
      ['ignition file /etc/x includes append, which is not supported on a running node'],
    ],
    ['a password instead of keys', {}, { users: [{ name: 'core', passwordHash: 'x' }] }, []],
    [
      'an invalid password hash',
      {},
      { users: [{ name: 'core', passwordHash: 'x:0:0\nroot::' }] },
      [`${refusedUser}the password hash of core contains invalid characters`],
    ],
    [
      'an unknown kernel type',
      {},
      { kernelType: 'turbo' },
      ['kernelType=turbo is invalid: it must be one of default, realtime, 64k-pages'],
    ],
    [
      '64k-pages on another architecture',
      {},
      { kernelType: '64k-pages' },
      ['kernelType 64k-pages is available only on arm64; this node is amd64'],
    ],
    [
      'unknown extensions',
      {},
      { extensions: ['nonsense'] },
      [
        'invalid extensions found: nonsense; supported are ipsec, kerberos, kernel-devel, sandboxed-containers, sysstat, two-node-ha, usbguard',
      ],
    ],
  ])('%s', (_, before, after, reasons) => {
    const made = planned(before, after)
    expect(made.reasons).toEqual(reasons)
    expect(made.reconcilable).toBe(reasons.length === 0)
  })

  it('R1, R19: a config that Ignition rejects', () => {
    const made = (config: object): readonly string[] =>
      plan({
        current: machineConfig('old', spec({})),
        desired: machineConfig('new', { config }),
        rules: defaultRules,
        facts,
      }).reasons
    expect(made({ ignition: { version: '4.0.0' } })).toEqual([
      'parsing new Ignition config of new failed: $.ignition.version ("4.0.0") is not a supported version; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
    ])
    expect(
      made({ ignition: { version: '3.2.0' }, storage: { files: [{ path: 'home/core/test' }] } }),
    ).toEqual([
      'invalid Ignition config found in new: $.storage.files[0].path ("home/core/test") must be an absolute path that starts with "/"',
    ])
    const sticky = { path: '/etc/x', mode: 0o1777 }
    expect(made({ ignition: { version: '3.4.0' }, storage: { files: [sticky] } })).toEqual([
      'invalid mode 1777 of file /etc/x: it cannot exceed 0777',
    ])
  })

  it.each<[StorageOverride, Parts]>([
    ['Disks', disks],
    ['FileSystems', filesystems],
    ['Raid', raid],
  ])('R4, R6, R7: the override %s accepts only its section', (override, before) => {
    expect(planned(before, {}, { overrides: [override] }).reasons).toEqual([])
    const others = (['Disks', 'FileSystems', 'Raid'] as const).filter((one) => one !== override)
    expect(planned(before, {}, { overrides: others }).reconcilable).toBe(false)
  })

  it('R21–R23: files and images are accepted', () => {
    const files = Array.from({ length: 10 }, (_, i) => file(`/etc/${i}`, `${i}`))
    const kinds = (before: Parts, after: Parts): string[] => {
      const { reconcilable, changes } = planned(before, after)
      expect(reconcilable).toBe(true)
      return [...new Set(changes.map(({ kind }) => kind))]
    }
    expect(kinds({ files }, { files: [...files, file('/etc/11')] })).toEqual(['file'])
    expect(kinds({ files }, {})).toEqual(['file'])
    expect(kinds({ files, osImageURL: 'a' }, { files, osImageURL: 'b' })).toEqual(['osImage'])
  })

  it('all reasons are listed once', () => {
    const before: Config = { ignition: { version: '3.5.0' } }
    const made = planned(
      { config: before },
      {
        fips: true,
        files: [{ path: '/etc/x', mode: 0o4755, append: [{ source: 'data:,x' }] }],
        config: { storage: disks.config!.storage!, passwd: { groups: [{ name: 'a' }] } },
        users: [{ name: 'a' }, { name: 'b' }],
      },
    )
    expect(made.reasons.map((reason) => reason.split(/[:;(]/)[0]!.trim())).toEqual([
      'ignition passwd groups section contains changes',
      'ignition passwd user section contains unsupported changes',
      'ignition passwd user section contains unsupported changes',
      'ignition disks section contains changes',
      'ignition file /etc/x includes append, which is not supported on a running node',
      'invalid mode 4755 of file /etc/x',
      'detected change to FIPS flag',
    ])
    expect({ ...made, reasons: [], changes: [] }).toEqual({
      from: 'old',
      to: 'new',
      reconcilable: false,
      reasons: [],
      changes: [],
      actions: [],
      drain: false,
      drainRule: 'the change cannot be applied',
      reboot: false,
      steps: [],
    })
  })

  it('the order of entries does not matter', () => {
    const of = (...devices: string[]): Parts => ({
      config: {
        storage: { disks: devices.map((device) => ({ device })) },
        passwd: { users: devices.map((name) => ({ name })) },
      },
    })
    expect(planned(of('/a', '/b'), of('/b', '/a')).reconcilable).toBe(true)
  })

  it('unchanged sections are not checked', () => {
    const strange: Parts = {
      ...disks,
      extensions: ['nonsense'],
      kernelType: 'turbo',
      users: [{ name: 'admin', homeDir: '/x' }],
    }
    expect(planned(strange, strange).reasons).toEqual([])
  })
})

describe('rules of releases', () => {
  const hashed = { users: [{ ...core('1234'), passwordHash: 'x' }] }
  const reasons = (rules: PlanRules, before: Parts, after: Parts): readonly string[] =>
    planned(before, after, { rules }).reasons

  it('4.12 rejects the removal of core and a password', () => {
    expect(reasons('4.12', { users: [core('1234')] }, {})).toEqual([
      `${refusedUser}user core may not be deleted`,
    ])
    expect(reasons('4.12', {}, hashed)).toEqual([`${refusedUser}non-sshKey changes (passwordHash)`])
    expect(reasons('4.16', { users: [core('1234')] }, {})).toEqual([])
    expect(reasons('4.16', {}, hashed)).toEqual([])
  })

  it('4.12 ignores kernel arguments in Ignition', () => {
    const kargs: Parts = { config: { kernelArguments: { shouldExist: ['foo=bar'] } } }
    expect(reasons('4.12', {}, kargs)).toEqual([])
    expect(reasons('4.16', {}, kargs)).toHaveLength(1)
  })

  it('4.12 checks only the node for FIPS', () => {
    expect(reasons('4.12', {}, { fips: true })).toEqual([])
    const on = planned({}, { fips: true }, { rules: '4.12', facts: { ...facts, fips: false } })
    expect(on.reasons).toEqual([
      'detected change to FIPS flag (off → on); refusing to modify FIPS on a running cluster',
    ])
  })
})

describe('FIPS and the node', () => {
  it('must match the installation of the node', () => {
    const same = { ...facts, fips: true }
    expect(planned({ fips: true }, { fips: true }, { facts: same }).reconcilable).toBe(true)
    expect(planned({}, {}, { facts: same }).reasons).toEqual([
      'detected change to FIPS flag (on → off); refusing to modify FIPS on a running cluster',
    ])
  })

  it('of a node without a config is that of its installation', () => {
    const input = { desired: machineConfig('new', spec({ fips: true })), rules: defaultRules }
    const first = plan({ ...input, current: undefined, facts: { ...facts, fips: true } })
    expect({ from: first.from, changes: first.changes, reasons: first.reasons }).toEqual({
      from: 'mco-empty-mc',
      changes: [],
      reasons: [],
    })
  })
})

describe('compressed files', () => {
  it('are rejected if they decompress to more than 64 MiB in total', () => {
    const files = [1, 2, 3].map((fill) => {
      const packed = gzipSync(Buffer.alloc(24 * 1024 * 1024, fill), { level: 1 })
      const source = `data:;base64,${packed.toString('base64')}`
      return { path: `/opt/${fill}`, contents: { source, compression: 'gzip' } }
    })
    expect(planned({}, { files: files.slice(0, 2) }).reconcilable).toBe(true)
    const { reconcilable, reasons, changes } = planned({}, { files })
    expect({ reconcilable, reasons, changes }).toEqual({
      reconcilable: false,
      reasons: [
        'compressed files decompress to more than 64 MiB: file /opt/1 (24 MiB), file /opt/2 (24 MiB) and file /opt/3 (24 MiB)',
      ],
      changes: [],
    })
  })
})
