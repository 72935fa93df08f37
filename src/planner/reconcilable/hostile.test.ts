import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { File, Resource } from '@machinist/ignition/spec/config'
import { defaultRules, facts, file, machineConfig, planned, spec } from '../configs.fixture.ts'
import { plan } from '../plan.ts'
import type { PlanStep, UpdatePlan } from '../model/update-plan.ts'

const reasonsFor = (...paths: string[]): readonly string[] =>
  planned({}, { files: paths.map((path) => file(path)) }).reasons

const inSpec2 = (...paths: string[]): UpdatePlan => {
  const files = paths.map((path) => ({ filesystem: 'root', path, contents: { source: 'data:,' } }))
  const config = { ignition: { version: '2.2.0' }, storage: { files } }
  const desired = machineConfig('new', { config })
  return plan({ current: undefined, desired, rules: defaultRules, facts })
}

describe('paths', () => {
  it.each([
    ['/etc/../../etc/shadow'],
    ['/etc//x'],
    ['/etc/./x'],
    ['/etc/x/'],
    ['/../x'],
    ['etc/x'],
  ])('%s is rejected', (path) => {
    expect(reasonsFor(path)).toEqual([
      expect.stringContaining(`$.storage.files[0].path ("${path}") must `),
    ])
  })

  it('of spec 2 are cleaned and stay below the root', () => {
    expect(inSpec2('/etc/../../etc/motd', '/etc/./y').changes.map(({ path }) => path)).toEqual([
      '/etc/motd',
      '/etc/y',
    ])
  })

  it('in two spellings are rejected', () => {
    expect(reasonsFor('/etc/x', '/etc/./x').join()).toContain('"/etc/./x"')
    expect(inSpec2('/etc/x', '/etc//x').reasons).toEqual([
      expect.stringMatching(/"\/etc\/x".* is a duplicate/),
    ])
  })

  it.each([
    ['/etc/a\nb', 'file path "/etc/a\\nb" contains a line break or another control character'],
    [
      '/etc/a\u0000',
      'file path "/etc/a\\u0000" contains a line break or another control character',
    ],
    ['/', 'file path "/" is a directory'],
    [
      '/run/machine-config-daemon-force/x',
      'cannot create /run/machine-config-daemon-force/x via Ignition',
    ],
    [
      '/etc/machine-config-daemon/currentconfig',
      'cannot create /etc/machine-config-daemon/currentconfig via Ignition: the path is reserved for the daemon',
    ],
    [
      '/etc/machine-config-daemon',
      'cannot create /etc/machine-config-daemon via Ignition: the path is reserved for the daemon',
    ],
    [
      '/etc/machine-config-daemon/orig/etc/passwd.mcdorig',
      'cannot create /etc/machine-config-daemon/orig/etc/passwd.mcdorig via Ignition: the path is reserved for the daemon',
    ],
    [
      '/etc/machine-config-daemon/journal/plan.json',
      'cannot create /etc/machine-config-daemon/journal/plan.json via Ignition: the path is reserved for the daemon',
    ],
    ['/dev/sda', 'cannot create /dev/sda via Ignition: /dev belongs to the kernel'],
    [
      '/proc/sysrq-trigger',
      'cannot create /proc/sysrq-trigger via Ignition: /proc belongs to the kernel',
    ],
  ])('%j is rejected', (path, reason) => {
    expect(reasonsFor(path)).toEqual([reason])
  })

  it('that are too long are rejected', () => {
    expect(reasonsFor(`/etc/${'x'.repeat(256)}`)[0]).toMatch(
      /segment that is longer than 255 bytes$/,
    )
    expect(reasonsFor('/etc'.repeat(1024))[0]).toMatch(/is longer than 4095 bytes$/)
  })

  it.each([
    ['/etc/machine-config-daemon/no-reboot/containers-gpg.pub'],
    ['/etc/machine-config-daemon/policy-for-old-podman.json'],
    ['/etc/machine-config-daemon/originals'],
    ['/devices/x'],
    ['/etc/..x/...'],
    ['/etc/ünïcode name'],
  ])('%s is accepted', (path) => {
    expect(reasonsFor(path)).toEqual([])
  })

  it('below a file are rejected', () => {
    expect(reasonsFor('/etc/x/y/z', '/etc/x', '/etc/xy')).toEqual([
      'file /etc/x/y/z is below /etc/x, which is also a file',
    ])
  })

  it('below a unit or above a drop-in are rejected', () => {
    const units = [
      { name: 'a.service', mask: true },
      { name: 'b.service', dropins: [{ name: 'x.conf', contents: '[Unit]\n' }] },
    ]
    const files = [
      file('/etc/systemd/system/a.service/x'),
      file('/etc/systemd/system/b.service.d'),
      file('/etc/systemd/system/c.service.d'),
    ]
    expect(planned({}, { files, units }).reasons).toEqual([
      'file /etc/systemd/system/a.service/x is below /etc/systemd/system/a.service, which is also a file',
      'file /etc/systemd/system/b.service.d/x.conf is below /etc/systemd/system/b.service.d, which is also a file',
    ])
  })

  it('may change from file to directory and back: removals come first', () => {
    const [flat, deep] = [[file('/etc/x')], [file('/etc/x/y')]]
    const onFiles = (from: readonly File[], to: readonly File[]): readonly PlanStep[] =>
      planned({ files: from }, { files: to }).steps.filter(({ do: verb }) => verb.endsWith('-file'))
    expect(onFiles(flat, deep)).toEqual([
      { do: 'remove-file', path: '/etc/x' },
      { do: 'write-file', path: '/etc/x/y' },
    ])
    expect(onFiles(deep, flat)).toEqual([
      { do: 'remove-file', path: '/etc/x/y' },
      { do: 'write-file', path: '/etc/x' },
    ])
  })
})

describe('names of units', () => {
  it('must not leave their directory', () => {
    const units = [
      { name: '../../x.service', contents: '[Unit]\n' },
      { name: '-x.service', dropins: [{ name: '../y.conf', contents: '[Unit]\n' }] },
      { name: 'a\nb.service' },
    ]
    expect(planned({}, { units }).reasons).toEqual([
      'unit name "../../x.service" contains "/"',
      'unit name "-x.service" starts with "-", so commands would read it as an option',
      'drop-in name "../y.conf" of unit "-x.service" contains "/"',
      'unit name "a\\nb.service" contains a line break or another control character',
    ])
  })

  it('must not share a path with a file', () => {
    const config = {
      ignition: { version: '3.2.0' },
      storage: {
        files: ['a.service', 'a.service.d/x.conf', 'b.service'].map((name) =>
          file(`/etc/systemd/system/${name}`),
        ),
      },
      systemd: {
        units: [
          {
            name: 'a.service',
            contents: '[Unit]\n',
            dropins: [{ name: 'x.conf', contents: '[Unit]\n' }],
          },
          { name: 'b.service', enabled: true },
        ],
      },
    }
    const desired = machineConfig('new', { config })
    expect(plan({ current: undefined, desired, rules: defaultRules, facts }).reasons).toEqual([
      'file /etc/systemd/system/a.service has the path of unit a.service',
      'file /etc/systemd/system/a.service.d/x.conf has the path of drop-in x.conf of unit a.service',
    ])
  })
})

describe('contents', () => {
  const reasonsOf = (contents: Resource): readonly string[] =>
    planned({}, { files: [{ path: '/etc/x', contents }] }).reasons
  const base64 = (bytes: Uint8Array): string =>
    `data:;base64,${Buffer.from(bytes).toString('base64')}`
  const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('hex')}`

  it('of invalid gzip are rejected', () => {
    expect(reasonsOf({ source: 'data:,hello', compression: 'gzip' })).toEqual([
      'file /etc/x: the content is not valid gzip',
    ])
  })

  it('that decompress to too much are rejected', () => {
    const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024))
    expect(reasonsOf({ source: base64(bomb), compression: 'gzip' })).toEqual([
      'file /etc/x: the content decompresses to more than 33554432 bytes',
    ])
  })

  it('at a URL are rejected', () => {
    expect(reasonsOf({ source: 'https://example.com/x' })).toEqual([
      'file /etc/x: the content is not inline but at a https: URL; only data: URLs are supported here',
    ])
  })

  it('must match their hash', () => {
    const packed = { source: base64(gzipSync('hello')), compression: 'gzip' }
    expect(reasonsOf({ ...packed, verification: { hash: hash('hello') } })).toEqual([])
    expect(reasonsOf({ ...packed, verification: { hash: hash('hallo') } })).toEqual([
      'file /etc/x: the content does not match its verification hash',
    ])
  })

  it('that are unchanged are not checked again, unless everything is rewritten', () => {
    const files = [{ path: '/etc/x', contents: { source: 'https://example.com/x' } }]
    expect(planned({ files }, { files }).reasons).toEqual([])
    expect(planned({ files }, { files }, { facts: { ...facts, forced: true } }).reasons).toEqual([
      expect.stringContaining('https: URL'),
    ])
  })
})

describe('the rest of a config', () => {
  it.each([
    [{ osImageURL: 'a b' }, 'osImageURL "a b" is not a valid image reference'],
    [{ osImageURL: '--evil' }, 'osImageURL "--evil" is not a valid image reference'],
    [{ kernelArguments: ['a\u0000b'] }, 'kernel argument "a\\u0000b" contains control characters'],
  ])('%j is rejected', (parts, reason) => {
    expect(planned({}, parts).reasons).toEqual([reason])
  })

  it('of the wrong type is a reason, not an exception', () => {
    const desired = machineConfig('new', {
      ...spec({}),
      kernelArguments: [1],
      osImageURL: 5,
      extensions: 'x',
      fips: 'yes',
      kernelType: {},
    } as never)
    const made = plan({ current: undefined, desired, rules: defaultRules, facts })
    expect(made.reasons).toEqual([
      'spec.osImageURL of new must be a string',
      'spec.kernelType of new must be a string',
      'spec.extensions of new must be a list of strings',
      'spec.kernelArguments of new must be a list of strings',
      'spec.fips of new must be true or false',
    ])
  })

  it('is never quoted if it may be secret', () => {
    const config = {
      ignition: { version: '3.2.0' },
      passwd: { users: [{ name: 'core', passwordHash: 5 }] },
      storage: { files: [{ path: '/a', contents: { source: 'secret-of-mine' } }] },
    }
    const desired = machineConfig('new', { config })
    const { reasons } = plan({ current: undefined, desired, rules: defaultRules, facts })
    expect(reasons.length).toBeGreaterThan(0)
    expect(reasons.join()).not.toContain('secret-of-mine')
  })
})
