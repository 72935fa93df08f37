import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from '../arbitrary-config.fixture.ts'
import type { Config, Luks, Partition, Resource } from '../spec/config.ts'
import { sameConfig } from '../equality.ts'
import { pathText } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specs } from '../spec/version.ts'
import { downgrade } from './downgrade.ts'
import { upgrade } from './upgrade.ts'

const of = (rest: Omit<Config, 'ignition'>): Config => ({ ignition: { version: '3.5.0' }, ...rest })
const luks = (rest: Partial<Luks>): Config =>
  of({ storage: { luks: [{ name: 'root', device: '/dev/sda', ...rest }] } })
const file = (contents: Resource): Config => of({ storage: { files: [{ path: '/a', contents }] } })
const mode = (mode: number): Config => of({ storage: { files: [{ path: '/a', mode }] } })
const partition = (rest: Partial<Partition>): Config =>
  of({ storage: { disks: [{ device: '/dev/sda', partitions: [{ number: 1, ...rest }] }] } })
const format = (format: string): Config =>
  of({ storage: { filesystems: [{ device: '/dev/sda', format }] } })
const tang = { url: 'http://tang', thumbprint: 'x' }
const sha256 = `sha256-${'0'.repeat(64)}`
const arn = 'arn:aws:s3:us-west-1:123456789012:accesspoint/test/object/some/path'
const headers = { source: 'http://a/', httpHeaders: [{ name: 'A', value: '1' }] }

describe('an older version cannot express', () => {
  it.each<[string, Config, lastThatRejects: Spec, path: string]>([
    ['luks on crypto cards', luks({ cex: { enabled: true } }), '3.4', '$.storage.luks[0].cex'],
    [
      'offline tang servers',
      luks({ clevis: { tang: [{ ...tang, advertisement: '{}' }] } }),
      '3.3',
      '$.storage.luks[0].clevis.tang[0].advertisement',
    ],
    ['luks discard', luks({ discard: true }), '3.3', '$.storage.luks[0].discard'],
    ['luks openOptions', luks({ openOptions: ['foo'] }), '3.3', '$.storage.luks[0].openOptions'],
    ['special mode bits', mode(0o1777), '3.3', '$.storage.files[0].mode'],
    [
      'special mode bits of directories',
      of({ storage: { directories: [{ path: '/a', mode: 0o2755 }] } }),
      '3.3',
      '$.storage.directories[0].mode',
    ],
    ['arn: sources', file({ source: arn }), '3.3', '$.storage.files[0].contents.source'],
    [
      'kernel arguments',
      of({ kernelArguments: { shouldExist: ['a'] } }),
      '3.2',
      '$.kernelArguments',
    ],
    [
      'kernel arguments to remove',
      of({ kernelArguments: { shouldNotExist: ['a'] } }),
      '3.2',
      '$.kernelArguments',
    ],
    ['no file system', format('none'), '3.2', '$.storage.filesystems[0].format'],
    ['luks', luks({}), '3.1', '$.storage.luks'],
    [
      'users to delete',
      of({ passwd: { users: [{ name: 'a', shouldExist: false }] } }),
      '3.1',
      '$.passwd.users[0].shouldExist',
    ],
    [
      'groups to delete',
      of({ passwd: { groups: [{ name: 'a', shouldExist: false }] } }),
      '3.1',
      '$.passwd.groups[0].shouldExist',
    ],
    [
      'partitions to resize',
      partition({ resize: true }),
      '3.1',
      '$.storage.disks[0].partitions[0].resize',
    ],
    [
      'gs: sources',
      file({ source: 'gs://bucket/object' }),
      '3.1',
      '$.storage.files[0].contents.source',
    ],
    [
      'proxies',
      { ignition: { version: '3.5.0', proxy: { httpProxy: 'http://proxy/' } } },
      '3.0',
      '$.ignition.proxy',
    ],
    ['HTTP headers', file(headers), '3.0', '$.storage.files[0].contents.httpHeaders'],
    [
      'compressed configs',
      {
        ignition: {
          version: '3.5.0',
          config: { merge: [{ source: 'http://a/', compression: 'gzip' }] },
        },
      },
      '3.0',
      '$.ignition.config.merge[0].compression',
    ],
    [
      'mount options',
      of({ storage: { filesystems: [{ device: '/dev/a', format: 'xfs', mountOptions: ['ro'] }] } }),
      '3.0',
      '$.storage.filesystems[0].mountOptions',
    ],
    [
      'sha256',
      file({ source: 'data:,', verification: { hash: sha256 } }),
      '3.0',
      '$.storage.files[0].contents.verification.hash',
    ],
  ])('%s', (_, config, lastThatRejects, path) => {
    const refusedBy = specs.filter((spec) => downgrade(config, spec).reasons.length > 0)
    expect(refusedBy).toEqual(specs.slice(0, specs.indexOf(lastThatRejects) + 1))
    expect(downgrade(config, lastThatRejects).reasons.map(({ path }) => pathText(path))).toEqual([
      path,
    ])
  })

  it('several parts, and all are reported', () => {
    const config: Config = {
      ignition: { version: '3.5.0', proxy: { noProxy: ['a'] } },
      kernelArguments: { shouldExist: ['quiet'] },
      storage: {
        files: [
          { path: '/a', mode: 0o4755, contents: headers },
          { path: '/b', contents: { source: 'data:,', verification: { hash: sha256 } } },
        ],
      },
    }
    const { reasons } = downgrade(config, '3.0')
    const texts = reasons.map(({ path, why }) => `${pathText(path)} ${why}`)
    expect(texts.pop()).toMatch(/^\$\.storage\.files\[1\]\.contents\.verification\.hash .*sha512/)
    expect(texts).toEqual([
      '$.ignition.proxy needs version 3.1.0 or later',
      '$.kernelArguments needs version 3.3.0 or later',
      '$.storage.files[0].contents.httpHeaders needs version 3.1.0 or later',
      '$.storage.files[0].mode has setuid, setgid or sticky bits, which need version 3.4.0 or later',
    ])
  })
})

describe('a default value is dropped for an older version', () => {
  it.each<[string, Config, Config]>([
    [
      'users and groups that must exist',
      of({
        passwd: {
          users: [{ name: 'a', shouldExist: true }],
          groups: [{ name: 'b', shouldExist: true }],
        },
      }),
      of({ passwd: { users: [{ name: 'a' }], groups: [{ name: 'b' }] } }),
    ],
    ['partitions not to be resized', partition({ resize: false }), partition({})],
    ['empty lists', of({ storage: { luks: [] }, kernelArguments: { shouldExist: [] } }), of({})],
    [
      'an empty proxy and no compression',
      {
        ignition: {
          version: '3.5.0',
          proxy: { httpProxy: '', noProxy: [] },
          config: { replace: { source: 'http://a/', compression: '', httpHeaders: [] } },
        },
      },
      { ignition: { version: '3.5.0', config: { replace: { source: 'http://a/' } } } },
    ],
  ])('%s', (_, config, rest) => {
    const { config: older, reasons } = downgrade(config, '3.0')
    expect(reasons).toEqual([])
    const expected = { ...rest, ignition: { ...rest.ignition, version: '3.0.0' } }
    expect(sameConfig(older, expected)).toBe(true)
  })

  it('no discard and no crypto card, from 3.2 on', () => {
    const config = luks({ discard: false, cex: { enabled: false }, openOptions: [] })
    const { config: older, reasons } = downgrade(config, '3.2')
    expect(reasons).toEqual([])
    expect(older.storage?.luks).toEqual([{ name: 'root', device: '/dev/sda' }])
  })
})

describe('for any config', () => {
  it('a config with fields of 3.0 only is the same in every version', () => {
    fc.assert(
      fc.property(
        arbitraryConfig({ onlyOldFields: true }),
        fc.constantFrom(...specs),
        (config, spec) => {
          const { config: older, reasons } = downgrade(config, spec)
          expect(reasons).toEqual([])
          expect(older.ignition.version).toBe(`${spec}.0`)
          expect(sameConfig(upgrade(older, spec), config)).toBe(true)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('a successful downgrade loses only default values', () => {
    fc.assert(
      fc.property(arbitraryConfig(), fc.constantFrom(...specs), (config, spec) => {
        const { config: older, reasons } = downgrade(config, spec)
        if (reasons.length > 0) return
        const back = upgrade(older, spec)
        const said = (one: Config): string => JSON.stringify(one, withoutTheObvious)
        expect(JSON.parse(said(back))).toEqual(JSON.parse(said(config)))
      }),
      { numRuns: 150 },
    )
  })

  it('does not modify its input', () => {
    fc.assert(
      fc.property(arbitraryConfig(), fc.constantFrom(...specs), (config, spec) => {
        const before = JSON.stringify(config)
        downgrade(config, spec)
        expect(JSON.stringify(config)).toBe(before)
      }),
      { numRuns: 50 },
    )
  })
})

/** Drops newer fields with default values. */
function withoutTheObvious(key: string, value: unknown): unknown {
  const obvious: Record<string, unknown> = {
    shouldExist: true,
    resize: false,
    discard: false,
    enabled: value === false ? undefined : '',
    compression: '',
  }
  if (key in obvious && obvious[key] === value) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(
    ([name, inner]) => [name, withoutTheObvious(name, inner)] as const,
  )
  const kept = members.filter(([, inner]) => inner !== undefined && !isNothing(inner))
  return Object.fromEntries(kept)
}

function isNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  return Object.values(value).every(
    (inner) => inner === undefined || inner === false || isNothing(inner),
  )
}
