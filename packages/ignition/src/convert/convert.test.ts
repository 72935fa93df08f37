import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { arbitraryConfig } from '../arbitrary-config.fixture.ts'
import { arbitrarySpec2Config } from '../spec2/arbitrary-config.fixture.ts'
import type { Config } from '../spec/config.ts'
import { sameConfig } from '../equality.ts'
import type { Spec2Config } from '../spec2/config.ts'
import { CannotConvert } from '../report/cannot-convert.ts'
import { convert, toInternal } from './convert.ts'
import type { IgnitionVersion } from './versions.ts'
import { supportedVersions, versionNamed } from './versions.ts'

const keys = { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['5678', 'abc'] }] } }

describe('versions', () => {
  it('are these', () => {
    expect(supportedVersions).toEqual(['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5'])
  })

  it.each([
    ['3.5.0', '3.5'],
    ['3.5.2', '3.5'],
    ['3.2', '3.2'],
    ['2.2.0', '2.2'],
    ['2.2', '2.2'],
    ['2.1.0', undefined],
    ['3.6.0', undefined],
    ['7.7.7', undefined],
    ['3', undefined],
    ['3.2.0.0', undefined],
    ['v3.2', undefined],
  ])('%s names %s', (text, version) => {
    expect(versionNamed(text)).toBe(version)
  })
})

describe('a config that every version can express', () => {
  it('converts from any version to any other', () => {
    for (const from of supportedVersions) {
      for (const to of supportedVersions) {
        const config = { ignition: { version: `${from}.0` }, ...keys }
        expect(convert(config, to)).toEqual({ ignition: { version: `${to}.0` }, ...keys })
      }
    }
  })

  it('of an unknown version is rejected', () => {
    expect(() => toInternal({ ignition: { version: '21.0.0' }, ...keys })).toThrow(
      'Ignition version "21.0.0" is not supported; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
    )
  })
})

const hash = `sha512-${'c6'.repeat(64)}`
const guid = '9d6e42cd-dcef-4177-b4c6-2a0c979e3d82'
const owned = { user: { id: 1000 }, group: { name: 'groupname' } }
const web = { source: 'https://example.com', verification: { hash } }

const inSpec3: Config = {
  ignition: {
    version: '3.5.0',
    config: { merge: [web], replace: web },
    timeouts: { httpResponseHeaders: 5, httpTotal: 10 },
    security: { tls: { certificateAuthorities: [web] } },
  },
  storage: {
    disks: [
      {
        device: '/dev/sda',
        wipeTable: true,
        partitions: [{ label: 'var', number: 1, typeGuid: guid, guid, shouldExist: true }],
      },
    ],
    raid: [
      {
        name: 'array',
        level: 'raid10',
        devices: ['/dev/sdb', '/dev/sdc'],
        spares: 1,
        options: ['foobar'],
      },
    ],
    filesystems: [
      {
        path: '/var',
        device: '/dev/disk/by-partlabel/var',
        format: 'xfs',
        wipeFilesystem: true,
        label: 'var',
        uuid: guid,
        options: ['rw'],
      },
      { device: '/dev/sdd', format: 'swap' },
    ],
    files: [
      {
        path: '/var/varfile',
        overwrite: false,
        ...owned,
        mode: 420,
        append: [{ ...web, compression: 'gzip' }],
      },
      { path: '/etc/motd', mode: 420, append: [{ source: 'data:text/plain;base64,Zm9vCg==' }] },
      { path: '/empty', mode: 420, contents: { source: '' } },
      {
        path: '/variable',
        overwrite: true,
        contents: { source: 'data:,1' },
        append: [{ source: 'data:,2' }, { source: 'data:,3' }],
      },
    ],
    directories: [{ path: '/rootdir', overwrite: true, ...owned, mode: 420 }, { path: '/var' }],
    links: [{ path: '/rootlink', overwrite: true, ...owned, hard: false, target: '/foobar' }],
  },
  systemd: {
    units: [
      {
        name: 'a.service',
        enabled: false,
        mask: false,
        contents: '[Unit]\n',
        dropins: [{ name: '1.conf', contents: '' }],
      },
    ],
  },
}

const inSpec2: Spec2Config = {
  ignition: {
    version: '2.2.0',
    config: { append: [web], replace: web },
    timeouts: { httpResponseHeaders: 5, httpTotal: 10 },
    security: { tls: { certificateAuthorities: [web] } },
  },
  storage: {
    disks: [
      {
        device: '/dev/sda',
        wipeTable: true,
        partitions: [{ label: 'var', number: 1, typeGuid: guid, guid }],
      },
    ],
    raid: [
      {
        name: 'array',
        level: 'raid10',
        devices: ['/dev/sdb', '/dev/sdc'],
        spares: 1,
        options: ['foobar'],
      },
    ],
    filesystems: [
      {
        name: '/var',
        mount: {
          device: '/dev/disk/by-partlabel/var',
          format: 'xfs',
          wipeFilesystem: true,
          label: 'var',
          uuid: guid,
          options: ['rw'],
        },
      },
      { name: '1', mount: { device: '/dev/sdd', format: 'swap' } },
    ],
    files: [
      {
        filesystem: '/var',
        path: '/varfile',
        overwrite: false,
        ...owned,
        append: true,
        mode: 420,
        contents: { ...web, compression: 'gzip' },
      },
      {
        filesystem: 'root',
        path: '/etc/motd',
        overwrite: false,
        append: true,
        mode: 420,
        contents: { source: 'data:text/plain;base64,Zm9vCg==' },
      },
      { filesystem: 'root', path: '/empty', overwrite: false, mode: 420 },
      {
        filesystem: 'root',
        path: '/variable',
        overwrite: true,
        contents: { source: 'data:,1' },
      },
      {
        filesystem: 'root',
        path: '/variable',
        overwrite: false,
        append: true,
        contents: { source: 'data:,2' },
      },
      {
        filesystem: 'root',
        path: '/variable',
        overwrite: false,
        append: true,
        contents: { source: 'data:,3' },
      },
    ],
    directories: [
      { filesystem: 'root', path: '/rootdir', overwrite: true, ...owned, mode: 420 },
      { filesystem: '/var', path: '/' },
    ],
    links: [
      { filesystem: 'root', path: '/rootlink', overwrite: true, ...owned, target: '/foobar' },
    ],
  },
  systemd: {
    units: [
      {
        name: 'a.service',
        enabled: false,
        contents: '[Unit]\n',
        dropins: [{ name: '1.conf' }],
      },
    ],
  },
}

describe('spec 2.2', () => {
  it('expresses the same config', () => {
    expect(convert(inSpec3, '2.2')).toEqual(inSpec2)
  })

  it('assigns a file to the innermost file system', () => {
    const at = (path: string): object => ({
      path,
      contents: { source: 'data:,' },
    })
    const on = (path: string): object => ({ path, device: `/dev/of${path}x`, format: 'xfs' })
    const config = {
      ignition: { version: '3.5.0' },
      storage: {
        files: [at('/var/lib/x'), at('/var/libx'), at('/varx'), at('/etc/x')],
        filesystems: [on('/var'), on('/var/lib'), on('/')],
      },
    } as Config
    const nodes = convert(config, '2.2').storage?.files?.map((file) => [file.filesystem, file.path])
    expect(nodes).toEqual([
      ['/var/lib', '/x'],
      ['/var', '/libx'],
      ['/', '/varx'],
      ['/', '/etc/x'],
    ])
  })

  it('reports everything that would be lost', () => {
    const config: Config = {
      ignition: {
        version: '3.5.0',
        proxy: { httpProxy: 'http://p/' },
        config: { merge: [{ source: 'http://a/', httpHeaders: [{ name: 'A', value: '1' }] }] },
      },
      kernelArguments: { shouldExist: ['quiet'] },
      storage: {
        disks: [
          {
            device: '/dev/sda',
            partitions: [
              { number: 1, sizeMiB: 1, startMiB: 2, wipePartitionEntry: true },
              { number: 2, shouldExist: false },
            ],
          },
        ],
        filesystems: [{ device: '/dev/sdb' }],
        files: [{ path: '/a', mode: 384 }],
      },
    }
    const reasons = reasonsOf(config, '2.2')
    expect(reasons).toEqual([
      '$.ignition.config.merge[0].httpHeaders needs version 3.1.0 or later',
      '$.ignition.proxy needs version 3.1.0 or later',
      '$.kernelArguments needs version 3.3.0 or later',
      '$.storage.files[0] has no contents, which spec 2 requires; use "data:," for an empty file',
      '$.storage.filesystems[0].format is required in spec 2',
      '$.storage.disks[0].partitions[0].sizeMiB is in sectors in spec 2 and cannot be converted',
      '$.storage.disks[0].partitions[0].startMiB is in sectors in spec 2 and cannot be converted',
      '$.storage.disks[0].partitions[0].wipePartitionEntry does not exist in spec 2',
      '$.storage.disks[0].partitions[1].shouldExist does not exist in spec 2',
    ])
  })

  it('reports what spec 3 cannot express', () => {
    const config: Spec2Config = {
      ignition: { version: '2.2.0' },
      networkd: { units: [{ name: 'a.network' }] },
      passwd: { users: [{ name: 'core', create: { uid: 1 } }, { name: 'admin' }] },
      storage: {
        filesystems: [
          { name: 'data', mount: { device: '/dev/a', format: 'xfs' } },
          { name: 'root', mount: { device: '/dev/b', format: 'xfs' } },
          { name: 'root', path: '/' },
        ],
        disks: [{ device: '/dev/a', partitions: [{ number: 1, size: 2048 }] }],
        files: [
          { filesystem: 'data', path: '/a' },
          { path: 'b' },
          { filesystem: 'root', path: '/c', append: true, overwrite: true },
          { filesystem: 'root', path: '/d', mode: 0o10000 },
        ],
        links: [{ filesystem: 'root', path: '/e', target: '/f' }],
      },
    }
    const reasons = reasonsOf(config, '3.5')
    // Findings of the rules of spec 3 name the key, because the position differs.
    expect(reasons.pop()).toMatch(/^\$\.storage\.files\["\/d"\]\.mode must /)
    expect(reasons).toEqual([
      '$.passwd.users[1].name is not "core", the only supported user',
      '$.networkd does not exist in spec 3; use files instead',
      '$.passwd.users[0].create does not exist in spec 3; set the fields on the user itself',
      '$.storage.filesystems[0].name has no known mount point; only "root" can be converted to spec 3',
      '$.storage.filesystems[1].mount would be lost: spec 3 cannot change the root file system',
      '$.storage.disks[0].partitions[0] has a start or size in sectors, which cannot be converted',
      '$.storage.files[0].filesystem is not "root", the only one with a known mount point',
      '$.storage.files[1].filesystem is required',
      '$.storage.files[1].path must begin with "/"',
      '$.storage.files[2].append cannot be combined with overwrite',
    ])
  })

  it('overwrites by default, except for entries that append', () => {
    const config: Spec2Config = {
      ignition: { version: '2.2.0' },
      storage: {
        files: [
          { filesystem: 'root', path: '/c', contents: { source: 'data:,3' } },
          { filesystem: 'root', path: '/b', append: true, contents: { source: 'data:,2' } },
          { filesystem: 'root', path: '/a', contents: { source: 'data:,1' }, overwrite: false },
        ],
      },
    }
    expect(convert(config, '3.5').storage?.files).toEqual([
      { path: '/a', contents: { source: 'data:,1' }, overwrite: false },
      { path: '/b', append: [{ source: 'data:,2' }], overwrite: false },
      { path: '/c', contents: { source: 'data:,3' }, overwrite: true },
    ])
  })

  it('enables a unit with enable or enabled, and enabled takes precedence', () => {
    const enabled = (unit: object): unknown =>
      convert(
        { ignition: { version: '2.2.0' }, systemd: { units: [{ name: 'a.service', ...unit }] } },
        '3.5',
      ).systemd?.units?.[0]?.enabled
    expect(enabled({})).toBeUndefined()
    expect(enabled({ enable: true })).toBe(true)
    expect(enabled({ enable: true, enabled: false })).toBe(false)
    expect(enabled({ enable: false, enabled: true })).toBe(true)
    expect(enabled({ enable: false })).toBeUndefined()
  })
})

describe('an error', () => {
  it('lists all reasons in one line', () => {
    const config: Config = {
      ignition: { version: '3.5.0' },
      kernelArguments: { shouldExist: ['quiet'] },
      storage: { luks: [{ name: 'a', device: '/dev/a' }] },
    }
    const error = thrownBy(() => convert(config, '3.1'))
    expect(error).toBeInstanceOf(CannotConvert)
    expect(error).toBeInstanceOf(InvalidInput)
    expect((error as Error).message).toBe(
      'cannot be converted to Ignition 3.1.0: $.kernelArguments needs version 3.3.0 or later; ' +
        '$.storage.luks needs version 3.2.0 or later',
    )
  })
})

describe('for any config', () => {
  it('of spec 2, the upgrade is stable over a round trip', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(true), (old) => {
        const up = convert(old, '3.5')
        const down = convert(up, '2.2')
        // Each direction reverses the order of files and units.
        expect(sameConfig(inOrder(convert(down, '3.5')), inOrder(up))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('of spec 2 without duplicates, a round trip returns the same config', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(true), (some) => {
        const old = convert(convert(some, '3.5'), '2.2')
        expect(sorted(convert(convert(old, '3.5'), '2.2'))).toEqual(sorted(old))
      }),
      { numRuns: 150 },
    )
  })

  it('converts or reports the reasons, and never modifies its input', () => {
    const version = fc.constantFrom<IgnitionVersion[]>(...supportedVersions)
    fc.assert(
      fc.property(arbitraryConfig(), version, (config, to) => {
        const before = JSON.stringify(config)
        const error = thrownBy(() => convert(config, to))
        expect(JSON.stringify(config)).toBe(before)
        expect(error === undefined || error instanceof CannotConvert).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

function inOrder(config: Config): Config {
  const { storage, systemd } = config
  return {
    ...config,
    storage: { ...storage, files: sortedBy(storage?.files ?? [], ({ path }) => path) },
    systemd: { units: sortedBy(systemd?.units ?? [], ({ name }) => name) },
  }
}

function sorted(config: Spec2Config): Spec2Config {
  const { storage, systemd } = config
  return {
    ...config,
    storage: { ...storage, files: sortedBy(storage?.files ?? [], ({ path }) => path ?? '') },
    systemd: { units: sortedBy(systemd?.units ?? [], ({ name }) => name ?? '') },
  }
}

function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((one, other) =>
    key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0,
  )
}

function reasonsOf(config: Config | Spec2Config, to: IgnitionVersion): string[] {
  const error = thrownBy(() => convert(config, to)) as Error
  return error.message.replace(/^.*?\.0: /, '').split(/; (?=\$)/)
}
