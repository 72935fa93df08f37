import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { defaultRules, facts, file, machineConfig, planned, spec } from './configs.fixture.ts'
import type { File, Resource } from '@machinist/ignition/config'
import { plan } from './plan.ts'
import type { Step, UpdatePlan } from './update-plan.ts'

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
  ])('%s is refused', (path) => {
    expect(reasonsFor(path)).toEqual([
      expect.stringContaining(`$.storage.files[0].path ("${path}") must be`),
    ])
  })

  it('are cleaned where they come from spec 2, and never lead out of the root', () => {
    expect(inSpec2('/etc/../../etc/motd', '/etc/./y').changes.map(({ path }) => path)).toEqual([
      '/etc/motd',
      '/etc/y',
    ])
  })

  it('in two spellings are refused', () => {
    expect(reasonsFor('/etc/x', '/etc/./x').join()).toContain('"/etc/./x"')
    expect(inSpec2('/etc/x', '/etc//x').reasons).toEqual([
      expect.stringMatching(/"\/etc\/x".* is a duplicate/),
    ])
  })

  it.each([
    ['/etc/a\nb', 'file path "/etc/a\\nb" holds a line break or another control character'],
    ['/etc/a\u0000', 'file path "/etc/a\\u0000" holds a line break or another control character'],
    ['/', 'file path "/" is a directory'],
    [
      '/run/machine-config-daemon-force/x',
      'cannot create /run/machine-config-daemon-force/x via Ignition',
    ],
    [
      '/etc/machine-config-daemon/currentconfig',
      'cannot create /etc/machine-config-daemon/currentconfig via Ignition: the daemon keeps its own state there',
    ],
    [
      '/etc/machine-config-daemon',
      'cannot create /etc/machine-config-daemon via Ignition: the daemon keeps its own state there',
    ],
    [
      '/etc/machine-config-daemon/orig/etc/passwd.mcdorig',
      'cannot create /etc/machine-config-daemon/orig/etc/passwd.mcdorig via Ignition: the daemon keeps its own state there',
    ],
    [
      '/etc/machine-config-daemon/journal/plan.json',
      'cannot create /etc/machine-config-daemon/journal/plan.json via Ignition: the daemon keeps its own state there',
    ],
    ['/dev/sda', "cannot create /dev/sda via Ignition: /dev is the kernel's"],
    [
      '/proc/sysrq-trigger',
      "cannot create /proc/sysrq-trigger via Ignition: /proc is the kernel's",
    ],
  ])('%j is refused', (path, reason) => {
    expect(reasonsFor(path)).toEqual([reason])
  })

  it('that are too long are refused', () => {
    expect(reasonsFor(`/etc/${'x'.repeat(256)}`)[0]).toMatch(/part that is longer than 255 bytes$/)
    expect(reasonsFor('/etc'.repeat(1024))[0]).toMatch(/is longer than 4095 bytes$/)
  })

  it.each([
    ['/etc/machine-config-daemon/no-reboot/containers-gpg.pub'],
    ['/etc/machine-config-daemon/policy-for-old-podman.json'],
    ['/etc/machine-config-daemon/originals'],
    ['/devices/x'],
    ['/etc/..x/...'],
    ['/etc/ünïcode name'],
  ])('%s is fine', (path) => {
    expect(reasonsFor(path)).toEqual([])
  })

  it('below a file are refused', () => {
    expect(reasonsFor('/etc/x/y/z', '/etc/x', '/etc/xy')).toEqual([
      'file /etc/x/y/z is below /etc/x, which is a file, too',
    ])
  })

  it('below a unit or above a drop-in are refused', () => {
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
      'file /etc/systemd/system/a.service/x is below /etc/systemd/system/a.service, which is a file, too',
      'file /etc/systemd/system/b.service.d/x.conf is below /etc/systemd/system/b.service.d, which is a file, too',
    ])
  })

  it('may turn from file to directory and back: what was there goes first', () => {
    const [flat, deep] = [[file('/etc/x')], [file('/etc/x/y')]]
    const onFiles = (from: readonly File[], to: readonly File[]): readonly Step[] =>
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
  it('never lead elsewhere', () => {
    const units = [
      { name: '../../x.service', contents: '[Unit]\n' },
      { name: '-x.service', dropins: [{ name: '../y.conf', contents: '[Unit]\n' }] },
      { name: 'a\nb.service' },
    ]
    expect(planned({}, { units }).reasons).toEqual([
      'unit name "../../x.service" leads to another directory',
      'unit name "-x.service" begins with "-", as options of commands do',
      'drop-in name "../y.conf" of unit "-x.service" leads to another directory',
      'unit name "a\\nb.service" holds a line break or another control character',
    ])
  })

  it('never share a path with a file', () => {
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
      'file /etc/systemd/system/a.service is at the place of unit a.service',
      'file /etc/systemd/system/a.service.d/x.conf is at the place of drop-in x.conf of unit a.service',
    ])
  })
})

describe('contents', () => {
  const reasonsOf = (contents: Resource): readonly string[] =>
    planned({}, { files: [{ path: '/etc/x', contents }] }).reasons
  const base64 = (bytes: Uint8Array): string =>
    `data:;base64,${Buffer.from(bytes).toString('base64')}`
  const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('hex')}`

  it('that are no gzip are refused', () => {
    expect(reasonsOf({ source: 'data:,hello', compression: 'gzip' })).toEqual([
      'file /etc/x: the content is not valid gzip',
    ])
  })

  it('that unpack to too much are refused', () => {
    const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024))
    expect(reasonsOf({ source: base64(bomb), compression: 'gzip' })).toEqual([
      'file /etc/x: the content unpacks to more than 33554432 bytes',
    ])
  })

  it('behind a URL are refused', () => {
    expect(reasonsOf({ source: 'https://example.com/x' })).toEqual([
      'file /etc/x: the content is not in the config but behind a https: URL; only data: URLs can be used here',
    ])
  })

  it('have to match their hash', () => {
    const packed = { source: base64(gzipSync('hello')), compression: 'gzip' }
    expect(reasonsOf({ ...packed, verification: { hash: hash('hello') } })).toEqual([])
    expect(reasonsOf({ ...packed, verification: { hash: hash('hallo') } })).toEqual([
      'file /etc/x: the content does not match its verification hash',
    ])
  })

  it('that the node has already are not judged again, unless all is written anew', () => {
    const files = [{ path: '/etc/x', contents: { source: 'https://example.com/x' } }]
    expect(planned({ files }, { files }).reasons).toEqual([])
    expect(planned({ files }, { files }, { facts: { ...facts, forced: true } }).reasons).toEqual([
      expect.stringContaining('https: URL'),
    ])
  })
})

describe('the rest of a config', () => {
  it.each([
    [{ osImageURL: 'a b' }, 'osImageURL "a b" is no reference of an image'],
    [{ osImageURL: '--evil' }, 'osImageURL "--evil" is no reference of an image'],
    [{ kernelArguments: ['a\u0000b'] }, 'kernel argument "a\\u0000b" holds control characters'],
  ])('%j is refused', (parts, reason) => {
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
      'spec.osImageURL of new has to be a text',
      'spec.kernelType of new has to be a text',
      'spec.extensions of new has to be a list of texts',
      'spec.kernelArguments of new has to be a list of texts',
      'spec.fips of new has to be true or false',
    ])
  })

  it('is never quoted where it may be secret', () => {
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
