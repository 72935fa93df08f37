import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from './arbitrary-config.fixture.ts'
import type { Config, Storage } from './spec/config.ts'
import { merge } from './merge.ts'

const version = '3.5.0'
const empty: Config = { ignition: { version } }
const config = (rest: Omit<Config, 'ignition'>): Config => ({ ignition: { version }, ...rest })
const storage = (inner: Storage): Config => config({ storage: inner })

describe('fields', () => {
  it('returns an empty config of the internal version for no inputs', () => {
    expect(merge([])).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('returns a single config unchanged', () => {
    const only = storage({ files: [{ path: '/a' }] })
    expect(merge([only])).toBe(only)
  })

  it('takes the version of the last config that has an ignition section', () => {
    const of = (text: string): Config => ({ ignition: { version: text } })
    expect(merge([of('3.4.0'), of('3.5.0')]).ignition.version).toBe('3.5.0')
    expect(merge([of('3.5.0'), { ignition: {} } as Config]).ignition.version).toBe('3.5.0')
  })

  it('prefers the later config and keeps fields that it does not set', () => {
    const merged = merge([
      { ignition: { version, timeouts: { httpTotal: 1, httpResponseHeaders: 2 } } },
      { ignition: { version, timeouts: { httpTotal: 0 } } },
    ])
    expect(merged).toEqual({
      ignition: { version: '3.5.0', timeouts: { httpTotal: 0, httpResponseHeaders: 2 } },
    })
  })

  it('treats false, zero and the empty string as values', () => {
    const merged = merge([
      config({ systemd: { units: [{ name: 'a.service', enabled: true, contents: 'x' }] } }),
      config({ systemd: { units: [{ name: 'a.service', enabled: false, contents: '' }] } }),
    ])
    expect(merged.systemd).toEqual({ units: [{ name: 'a.service', enabled: false, contents: '' }] })
  })

  it('treats null as absent', () => {
    const file = { path: '/a', mode: null } as unknown as { path: string }
    const merged = merge([
      storage({ files: [{ path: '/a', mode: 420 }] }),
      storage({ files: [file] }),
    ])
    expect(merged.storage).toEqual({ files: [{ path: '/a', mode: 420 }] })
  })

  it('lets a later file inherit mode, owner and other fields that it does not set', () => {
    const merged = merge([
      storage({
        files: [
          {
            path: '/etc/motd',
            mode: 384,
            user: { name: 'core' },
            contents: {
              source: 'data:,old',
              compression: 'gzip',
              verification: { hash: 'sha512-0' },
            },
          },
        ],
      }),
      storage({ files: [{ path: '/etc/motd', contents: { source: 'data:,new' } }] }),
    ])
    expect(merged.storage?.files).toEqual([
      {
        path: '/etc/motd',
        mode: 384,
        user: { name: 'core' },
        contents: { source: 'data:,new', compression: 'gzip', verification: { hash: 'sha512-0' } },
      },
    ])
  })

  it('merges an owner field by field', () => {
    const merged = merge([
      storage({ files: [{ path: '/a', user: { id: 0 }, group: { name: 'wheel' } }] }),
      storage({ files: [{ path: '/a', user: { name: 'core' } }] }),
    ])
    expect(merged.storage?.files).toEqual([
      { path: '/a', user: { id: 0, name: 'core' }, group: { name: 'wheel' } },
    ])
  })
})

describe('lists of keyed items', () => {
  it('keeps the order and appends new items', () => {
    const merged = merge([
      storage({ files: [{ path: '/c' }, { path: '/a', mode: 1 }] }),
      storage({ files: [{ path: '/b' }, { path: '/a', mode: 2 }] }),
      storage({ files: [{ path: '/d' }, { path: '/c', mode: 3 }] }),
    ])
    expect(merged.storage?.files).toEqual([
      { path: '/c', mode: 3 },
      { path: '/a', mode: 2 },
      { path: '/b' },
      { path: '/d' },
    ])
  })

  it('merges disks and their partitions by number or label', () => {
    const merged = merge([
      storage({
        disks: [
          {
            device: '/dev/sda',
            wipeTable: true,
            partitions: [
              { number: 1, label: 'label', startMiB: 4 },
              { label: 'data', sizeMiB: 1 },
            ],
          },
          { device: '/dev/sdb', wipeTable: true },
        ],
      }),
      storage({
        disks: [
          {
            device: '/dev/sda',
            wipeTable: false,
            partitions: [
              { number: 1, label: 'changed' },
              { number: 2, label: 'data' },
              { label: 'data', resize: true },
            ],
          },
          { device: '/dev/sdb' },
          { device: '/dev/sdc', wipeTable: true },
        ],
      }),
    ])
    expect(merged.storage?.disks).toEqual([
      {
        device: '/dev/sda',
        wipeTable: false,
        partitions: [
          { number: 1, label: 'changed', startMiB: 4 },
          { label: 'data', sizeMiB: 1, resize: true },
          { number: 2, label: 'data' },
        ],
      },
      { device: '/dev/sdb', wipeTable: true },
      { device: '/dev/sdc', wipeTable: true },
    ])
  })

  it('merges units and their drop-ins by name', () => {
    const merged = merge([
      config({
        systemd: {
          units: [
            { name: 'a.service', enabled: true, dropins: [{ name: '10.conf', contents: 'old' }] },
          ],
        },
      }),
      config({
        systemd: {
          units: [
            {
              name: 'a.service',
              contents: '[Unit]',
              dropins: [{ name: '05.conf' }, { name: '10.conf', contents: 'new' }],
            },
          ],
        },
      }),
    ])
    expect(merged.systemd?.units).toEqual([
      {
        name: 'a.service',
        enabled: true,
        contents: '[Unit]',
        dropins: [{ name: '10.conf', contents: 'new' }, { name: '05.conf' }],
      },
    ])
  })

  it('merges users by name: keys and groups as sets, the hash from the config that sets it', () => {
    const merged = merge([
      config({ passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['5678'], groups: ['a'] }] } }),
      config({ passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['1234', '5678'] }] } }),
      config({
        passwd: { users: [{ name: 'core', passwordHash: 'testpass', groups: ['b', 'a'] }] },
      }),
    ])
    expect(merged.passwd?.users).toEqual([
      {
        name: 'core',
        sshAuthorizedKeys: ['5678', '1234'],
        groups: ['a', 'b'],
        passwordHash: 'testpass',
      },
    ])
  })

  it('merges RAID arrays, file systems and encrypted volumes; their options are concatenated', () => {
    const merged = merge([
      storage({
        raid: [{ name: 'data', devices: ['/dev/a'], level: 'raid1', options: ['x'] }],
        filesystems: [{ device: '/dev/a', options: ['x'], mountOptions: ['ro'] }],
        luks: [
          {
            name: 'root',
            device: '/dev/a',
            options: ['x'],
            openOptions: ['o'],
            clevis: { tang: [{ url: 'http://t', thumbprint: 'old' }], threshold: 1 },
          },
        ],
      }),
      storage({
        raid: [{ name: 'data', devices: ['/dev/b', '/dev/a'], options: ['x', 'y'] }],
        filesystems: [
          { device: '/dev/a', options: ['x'], mountOptions: ['ro', 'ro'], format: 'xfs' },
        ],
        luks: [
          {
            name: 'root',
            options: ['x'],
            openOptions: ['o', 'p'],
            clevis: {
              tang: [{ url: 'http://t', thumbprint: 'new' }, { url: 'http://u' }],
              tpm2: true,
            },
          },
        ],
      }),
    ])
    expect(merged.storage).toEqual({
      raid: [
        { name: 'data', devices: ['/dev/a', '/dev/b'], level: 'raid1', options: ['x', 'x', 'y'] },
      ],
      filesystems: [
        { device: '/dev/a', format: 'xfs', options: ['x', 'x'], mountOptions: ['ro', 'ro', 'ro'] },
      ],
      luks: [
        {
          name: 'root',
          device: '/dev/a',
          options: ['x', 'x'],
          openOptions: ['o', 'p'],
          clevis: {
            tang: [{ url: 'http://t', thumbprint: 'new' }, { url: 'http://u' }],
            threshold: 1,
            tpm2: true,
          },
        },
      ],
    })
  })

  it('appends to a file once per config, even the same content twice', () => {
    const merged = merge([
      storage({ files: [{ path: '/foo', append: [{ source: 'data:,1' }] }] }),
      storage({
        files: [{ path: '/foo', append: [{ source: 'data:,1' }, { source: 'data:,2' }] }],
      }),
    ])
    expect(merged.storage?.files).toEqual([
      {
        path: '/foo',
        append: [{ source: 'data:,1' }, { source: 'data:,1' }, { source: 'data:,2' }],
      },
    ])
  })

  it('merges references and CAs by their source', () => {
    const source = 'https://example.com/a'
    const merged = merge([
      { ignition: { version, config: { merge: [{ source, compression: 'gzip' }] } } },
      {
        ignition: {
          version,
          config: { merge: [{ source: 'data:,' }, { source, verification: { hash: 'sha512-1' } }] },
        },
      },
    ])
    expect(merged.ignition.config?.merge).toEqual([
      { source, compression: 'gzip', verification: { hash: 'sha512-1' } },
      { source: 'data:,' },
    ])
  })
})

describe('HTTP headers', () => {
  const withHeaders = (...httpHeaders: { name: string; value?: string }[]): Config =>
    storage({ files: [{ path: '/a', contents: { source: 'http://example.com/', httpHeaders } }] })
  const headersOf = (...configs: Config[]): unknown =>
    merge(configs).storage?.files?.[0]?.contents?.httpHeaders

  it('are replaced, added, and removed by a header without a value', () => {
    const parent = withHeaders(
      { name: 'old', value: '1' },
      { name: 'same', value: '1' },
      { name: 'gone', value: '1' },
    )
    const child = withHeaders(
      { name: 'gone' },
      { name: 'new', value: '2' },
      { name: 'same', value: '2' },
    )
    expect(headersOf(parent, child)).toEqual([
      { name: 'old', value: '1' },
      { name: 'same', value: '2' },
      { name: 'new', value: '2' },
    ])
  })

  it('without a value are kept if there is nothing to remove', () => {
    expect(headersOf(withHeaders({ name: 'a', value: '1' }), withHeaders({ name: 'b' }))).toEqual([
      { name: 'a', value: '1' },
      { name: 'b' },
    ])
  })

  it('are appended if they were removed before', () => {
    const both = withHeaders({ name: 'a', value: '1' }, { name: 'b', value: '1' })
    expect(
      headersOf(both, withHeaders({ name: 'a' }), withHeaders({ name: 'a', value: '2' })),
    ).toEqual([
      { name: 'b', value: '1' },
      { name: 'a', value: '2' },
    ])
  })
})

describe('lists that share their keys', () => {
  it('replace each other: a directory or link replaces a file of the same path, and vice versa', () => {
    const file = storage({
      files: [{ path: '/bar', contents: { source: 'data:,x' } }, { path: '/b' }],
    })
    const directory = storage({ directories: [{ path: '/bar', mode: 493 }] })
    const link = storage({ links: [{ path: '/bar', target: '/b' }] })
    expect(merge([file, directory]).storage).toEqual({
      files: [{ path: '/b' }],
      directories: [{ path: '/bar', mode: 493 }],
    })
    expect(merge([directory, link]).storage).toEqual({ links: [{ path: '/bar', target: '/b' }] })
    expect(merge([link, file]).storage).toEqual({
      files: [{ path: '/bar', contents: { source: 'data:,x' } }, { path: '/b' }],
    })
  })

  it('drop replaced items: a later file does not inherit from a file before the directory', () => {
    const merged = merge([
      storage({ files: [{ path: '/a', mode: 384, contents: { source: 'data:,secret' } }] }),
      storage({ directories: [{ path: '/a' }] }),
      storage({ files: [{ path: '/a', contents: { source: 'data:,new' } }] }),
    ])
    expect(merged.storage).toEqual({ files: [{ path: '/a', contents: { source: 'data:,new' } }] })
  })

  it('move a kernel argument from one list to the other', () => {
    const merged = merge([
      config({ kernelArguments: { shouldExist: ['quiet', 'nosmt'], shouldNotExist: ['debug'] } }),
      config({ kernelArguments: { shouldExist: ['debug'], shouldNotExist: ['quiet'] } }),
    ])
    expect(merged.kernelArguments).toEqual({
      shouldExist: ['nosmt', 'debug'],
      shouldNotExist: ['quiet'],
    })
  })
})

describe('an unchanged struct', () => {
  it('is the same object in the result', () => {
    const shared = { path: '/a', contents: { source: 'data:,x' } }
    const parent = storage({ files: [shared, { path: '/b' }] })
    const child = storage({ files: [{ path: '/b', mode: 420 }] })
    expect(merge([parent, child]).storage?.files?.[0]).toBe(shared)
  })
})

describe('for any configs', () => {
  const configs = fc.array(arbitraryConfig(), { minLength: 1, maxLength: 5 })

  it('merging many equals repeated merging of two', () => {
    fc.assert(
      fc.property(configs, (all) => {
        expect(pruned(merge(all))).toEqual(pruned(all.reduce(mergeOfTwo)))
        expect(pruned(merge(all))).toEqual(pruned(all.reduce((one, next) => merge([one, next]))))
      }),
      { numRuns: 300 },
    )
  })

  it('does not modify its inputs', () => {
    fc.assert(
      fc.property(configs, (all) => {
        const before = JSON.stringify(all)
        merge(all)
        expect(JSON.stringify(all)).toBe(before)
      }),
      { numRuns: 100 },
    )
  })

  it('an empty config changes nothing, before or after', () => {
    fc.assert(
      fc.property(arbitraryConfig(), (one) => {
        expect(pruned(merge([empty, one]))).toEqual(pruned(one))
        expect(pruned(merge([one, empty]))).toEqual(pruned(one))
      }),
      { numRuns: 100 },
    )
  })

  it('merging a config with itself returns it, except for headers without a value and concatenated lists', () => {
    fc.assert(
      fc.property(arbitraryConfig({ keysStayInTheirList: true }), (one) => {
        const single = withoutPilingUp(one)
        expect(pruned(merge([single, single]))).toEqual(pruned(single))
      }),
      { numRuns: 100 },
    )
  })

  it('merging is associative if no key changes its list and no header is removed', () => {
    const steady = arbitraryConfig({ keysStayInTheirList: true })
    fc.assert(
      fc.property(steady, steady, steady, (a, b, c) => {
        expect(pruned(merge([a, merge([b, c])]))).toEqual(pruned(merge([merge([a, b]), c])))
      }),
      { numRuns: 200 },
    )
  })
})

describe('merging is not associative for', () => {
  it('a file that was a directory in between', () => {
    const a = storage({ files: [{ path: '/x', mode: 384 }] })
    const b = storage({ directories: [{ path: '/x' }] })
    const c = storage({ files: [{ path: '/x', overwrite: false }] })
    expect(merge([merge([a, b]), c]).storage).toEqual({ files: [{ path: '/x', overwrite: false }] })
    expect(merge([a, merge([b, c])]).storage).toEqual({
      files: [{ path: '/x', mode: 384, overwrite: false }],
    })
  })

  it('a header that is removed twice', () => {
    const of = (value?: string): Config => {
      const header = { name: 'X', ...(value !== undefined && { value }) }
      return {
        ignition: { version, config: { replace: { source: 'http://e/', httpHeaders: [header] } } },
      }
    }
    const [a, b, c] = [of('1'), of(), of()]
    const left = merge([merge([a, b]), c]).ignition.config?.replace?.httpHeaders
    const right = merge([a, merge([b, c])]).ignition.config?.replace?.httpHeaders
    expect(left).toEqual([{ name: 'X' }])
    expect(right).toEqual([{ name: 'X', value: '1' }])
  })
})

function withoutPilingUp(value: Config): Config {
  const piling = new Set(['append', 'options', 'mountOptions'])
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (piling.has(key) ? undefined : inner)),
  ) as Config
}

/*
 * Ignition's merge of two configs, written down as plainly as possible and without the table of the spec, to compare with.
 */
const keys: Record<string, (item: Record<string, unknown>) => unknown> = {
  merge: ({ source }) => source ?? '',
  certificateAuthorities: ({ source }) => source ?? '',
  httpHeaders: ({ name }) => name,
  groups: ({ name }) => name,
  users: ({ name }) => name,
  units: ({ name }) => name,
  dropins: ({ name }) => name,
  files: ({ path }) => path,
  directories: ({ path }) => path,
  links: ({ path }) => path,
  disks: ({ device }) => device,
  filesystems: ({ device }) => device,
  raid: ({ name }) => name,
  luks: ({ name }) => name,
  tang: ({ url }) => url,
  partitions: ({ number, label }) => number || `label ${String(label)}`,
}
const siblings: Record<string, string[]> = {
  files: ['directories', 'links'],
  directories: ['files', 'links'],
  links: ['files', 'directories'],
  shouldExist: ['shouldNotExist'],
  shouldNotExist: ['shouldExist'],
}
const concatenated = new Set(['append', 'options', 'mountOptions'])

type Struct = Record<string, unknown>

function mergeOfTwo(parent: Config, child: Config): Config {
  return mergeStructs(parent as unknown as Struct, child as unknown as Struct) as unknown as Config
}

function mergeStructs(parent: Struct, child: Struct): Struct {
  const result: Struct = {}
  for (const name of new Set([...Object.keys(parent), ...Object.keys(child)])) {
    const [ours, theirs] = [parent[name], child[name]]
    if (Array.isArray(ours) || Array.isArray(theirs)) {
      result[name] = mergeTwoLists(
        name,
        (ours ?? []) as Struct[],
        (theirs ?? []) as Struct[],
        child,
      )
    } else if (typeof ours === 'object' && typeof theirs === 'object') {
      result[name] = mergeStructs(ours as Struct, theirs as Struct)
    } else result[name] = theirs ?? ours
  }
  return result
}

function mergeTwoLists(name: string, ours: Struct[], theirs: Struct[], child: Struct): unknown[] {
  if (concatenated.has(name)) return [...ours, ...theirs]
  const keyOf = (item: unknown): unknown =>
    typeof item === 'string' ? item : keys[name]!(item as Struct)
  const displaced = new Set(
    (siblings[name] ?? []).flatMap((other) => ((child[other] ?? []) as unknown[]).map(keyOf)),
  )
  const kept = ours.flatMap((item) => {
    const match = theirs.find((candidate) => keyOf(candidate) === keyOf(item))
    if (match === undefined) return displaced.has(keyOf(item)) ? [] : [item]
    if (typeof match === 'string') return [match]
    if (name === 'httpHeaders' && match['value'] === undefined) return []
    return [mergeStructs(item, match)]
  })
  const parentKeys = new Set(ours.map(keyOf))
  return [...kept, ...theirs.filter((item) => !parentKeys.has(keyOf(item)))]
}

/** Removes empty lists and structs, which have no meaning. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prunedItem)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, inner]) => [key, pruned(inner)] as const)
  return Object.fromEntries(members.filter(([, inner]) => !isEmpty(inner)))
}

const prunedItem = (item: unknown): unknown => pruned(item)

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
