import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../json/json.ts'
import { entryText } from '../report/report.ts'
import { arbitrarySpec2Config } from './arbitrary-config.fixture.ts'
import { parseSpec2 } from './parse.ts'

const parse = (value: unknown): ReturnType<typeof parseSpec2> =>
  parseSpec2(readJson(JSON.stringify(value)))

describe('parsing spec 2', () => {
  it('returns every field', () => {
    const user = {
      name: 'core',
      gecos: 'a',
      groups: ['a'],
      homeDir: '/h',
      noCreateHome: true,
      noLogInit: true,
      noUserGroup: true,
      passwordHash: 'x',
      primaryGroup: 'p',
      shell: '/bin/sh',
      sshAuthorizedKeys: ['k'],
      system: true,
      uid: 1,
    }
    const { name: _, passwordHash: __, sshAuthorizedKeys: ___, ...create } = user
    const reference = { source: 'data:,', verification: { hash: 'sha512-0' } }
    const dropins = [{ name: '1.conf', contents: 'c' }]
    const node = {
      filesystem: 'root',
      path: '/a',
      group: { id: 1, name: 'g' },
      overwrite: false,
      user: { id: 2, name: 'u' },
    }
    const config = {
      ignition: {
        version: '2.2.0',
        config: { append: [reference], replace: reference },
        security: { tls: { certificateAuthorities: [reference] } },
        timeouts: { httpResponseHeaders: 1, httpTotal: 0 },
      },
      networkd: { units: [{ name: 'a.network', contents: 'c', dropins }] },
      passwd: {
        groups: [{ name: 'g', gid: 0, passwordHash: 'x', system: true }],
        users: [{ ...user, create }],
      },
      storage: {
        directories: [{ ...node, mode: 0 }],
        disks: [
          {
            device: '/dev/a',
            wipeTable: true,
            partitions: [{ guid: 'g', label: 'l', number: 1, size: 2, start: 3, typeGuid: 't' }],
          },
        ],
        files: [
          { ...node, append: true, contents: { ...reference, compression: 'gzip' }, mode: 420 },
        ],
        filesystems: [
          {
            name: 'n',
            path: '/p',
            mount: {
              create: { force: true, options: ['o'] },
              device: '/dev/a',
              format: 'xfs',
              label: 'l',
              options: ['o'],
              uuid: 'u',
              wipeFilesystem: true,
            },
          },
        ],
        links: [{ ...node, hard: true, target: '/b' }],
        raid: [{ name: 'r', devices: ['/dev/a'], level: 'raid1', options: ['o'], spares: 1 }],
      },
      systemd: {
        units: [
          { name: 'a.service', contents: 'c', dropins, enable: true, enabled: false, mask: true },
        ],
      },
    }
    const { config: read, report } = parse(config)
    expect(report.entries).toEqual([])
    expect(read).toEqual(config)
  })

  it('returns any config unchanged', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(true), (config) => {
        expect(parse(config).config).toEqual(config)
      }),
      { numRuns: 100 },
    )
  })

  it('parses older versions as 2.2, with mode 0 as default', () => {
    const storage = {
      files: [
        { filesystem: 'root', path: '/a' },
        { filesystem: 'root', path: '/b', mode: 420 },
      ],
      directories: [{ filesystem: 'root', path: '/c' }],
    }
    for (const version of ['2.0.0', '2.1.0']) {
      expect(parse({ ignition: { version }, storage }).config).toEqual({
        ignition: { version: '2.2.0' },
        storage: {
          files: [
            { filesystem: 'root', path: '/a', mode: 0 },
            { filesystem: 'root', path: '/b', mode: 420 },
          ],
          directories: [{ filesystem: 'root', path: '/c', mode: 0 }],
        },
      })
    }
    const { config } = parse({ ignition: { version: '2.2.0' }, storage })
    expect(config?.storage?.files?.[0]).toEqual({ filesystem: 'root', path: '/a' })
  })

  it.each(['', '1.0.0', '2.3.0', '2.4.0', '3.0.0', '2.2'])('rejects version "%s"', (version) => {
    const { config, report } = parse({ ignition: { version } })
    expect(config).toBeUndefined()
    expect(report.entries.map(entryText)).toEqual([
      'error at $.ignition.version: must be one of 2.0.0, 2.1.0, 2.2.0',
    ])
  })

  it('reports the path of a wrong type and of an unknown key', () => {
    const { config, report } = parse({
      ignition: { version: '2.2.0' },
      storage: { files: [{ path: 1, contnets: {} }] },
      passwd: [],
    })
    expect(config).toBeUndefined()
    expect(report.entries.map(({ level, path }) => [level, path])).toEqual([
      ['error', ['storage', 'files', 0, 'path']],
      ['warning', ['storage', 'files', 0, 'contnets']],
      ['error', ['passwd']],
    ])
  })
})

describe('for any JSON', () => {
  it('the result is a config or an error', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown[]>(null, true, 0, 1.5, -1, 1e30, '', '2.2.0', 'x'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
      ),
    }))
    const config = fc
      .record({
        ignition: fc.constant({ version: '2.2.0' }),
        storage: value,
        passwd: value,
        systemd: value,
      })
      .map((members) => Object.fromEntries(Object.entries(members)))
    fc.assert(
      fc.property(fc.oneof(value, config), (json) => {
        const parsed = parse(json)
        expect(parsed.config === undefined).toBe(parsed.report.fatal)
      }),
      { numRuns: 1000 },
    )
  })
})

const names = [
  '__proto__',
  'constructor',
  'ignition',
  'version',
  'storage',
  'passwd',
  'systemd',
  'files',
  'filesystems',
  'mount',
  'units',
  'users',
  'create',
  'dropins',
  'path',
  'name',
  'mode',
  'contents',
  'source',
]
