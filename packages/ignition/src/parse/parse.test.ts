import { describe, expect, it } from 'vitest'
import { parseAnyVersion } from '../convert/parse-any.ts'
import { entryText, pathText } from '../report/report.ts'
import { parseConfig, parseConfigValue } from './parse.ts'

const said = (text: string | Uint8Array): string[] =>
  parseConfig(text).report.entries.map(entryText)
const config = (rest: string, version = '3.5.0'): string =>
  `{"ignition":{"version":"${version}"}${rest}}`

describe('parseConfig', () => {
  it('returns the config in the version of the source', () => {
    const text = JSON.stringify({
      ignition: { version: '3.1.0', config: { merge: [{ source: 'https://a' }] } },
      storage: {
        files: [{ path: '/a', mode: 420, overwrite: false, contents: { source: 'data:,x' } }],
        disks: [{ device: '/dev/sda', partitions: [{ number: 1 }] }],
      },
    })
    expect(parseConfig(text)).toMatchObject({ version: '3.1.0', report: { entries: [] } })
    expect(parseConfig(text).config).toEqual(JSON.parse(text))
    expect(parseConfig(Buffer.from(text)).config).toEqual(JSON.parse(text))
  })

  it('parses every field of the spec', () => {
    const owner = { id: 1 }
    const resource = {
      compression: 'gzip',
      httpHeaders: [{ name: 'A', value: 'b' }],
      source: 'https://a',
      verification: { hash: `sha256-${'0'.repeat(64)}` },
    }
    const everything = {
      ignition: {
        version: '3.5.0',
        config: { merge: [resource], replace: resource },
        proxy: { httpProxy: 'http://p', httpsProxy: 'https://p', noProxy: ['a'] },
        security: { tls: { certificateAuthorities: [resource] } },
        timeouts: { httpResponseHeaders: 1, httpTotal: 2 },
      },
      kernelArguments: { shouldExist: ['a'], shouldNotExist: ['b'] },
      passwd: {
        groups: [{ name: 'g', gid: 1, passwordHash: 'x', shouldExist: true, system: false }],
        users: [
          {
            name: 'u',
            gecos: 'a',
            groups: ['g'],
            homeDir: '/h',
            noCreateHome: true,
            noLogInit: true,
            noUserGroup: true,
            passwordHash: 'x',
            primaryGroup: 'g',
            shell: '/bin/sh',
            shouldExist: true,
            sshAuthorizedKeys: ['k'],
            system: true,
            uid: 1,
          },
        ],
      },
      storage: {
        directories: [{ path: '/d', group: owner, mode: 1, overwrite: true, user: owner }],
        disks: [
          {
            device: '/dev/a',
            partitions: [
              {
                guid: '',
                label: 'l',
                number: 1,
                resize: true,
                shouldExist: true,
                sizeMiB: 1,
                startMiB: 1,
                typeGuid: '',
                wipePartitionEntry: true,
              },
            ],
            wipeTable: true,
          },
        ],
        files: [
          {
            path: '/f',
            group: owner,
            mode: 1,
            overwrite: true,
            user: owner,
            append: [resource],
            contents: resource,
          },
        ],
        filesystems: [
          {
            device: '/dev/b',
            format: 'xfs',
            label: 'l',
            mountOptions: ['a', 'a'],
            options: ['b', 'b'],
            path: '/p',
            uuid: 'u',
            wipeFilesystem: true,
          },
        ],
        links: [
          { path: '/l', group: owner, overwrite: true, user: owner, hard: false, target: '/t' },
        ],
        luks: [
          {
            name: 'l',
            cex: { enabled: false },
            clevis: {
              custom: { config: '', needsNetwork: false, pin: '' },
              tang: [{ url: 'http://t', advertisement: '{}', thumbprint: 'x' }],
              threshold: 1,
              tpm2: true,
            },
            device: '/dev/c',
            discard: true,
            keyFile: resource,
            label: 'l',
            openOptions: ['a'],
            options: ['b', 'b'],
            uuid: 'u',
            wipeVolume: true,
          },
        ],
        raid: [{ name: 'r', devices: ['/dev/d'], level: '1', options: ['c', 'c'], spares: 1 }],
      },
      systemd: {
        units: [
          {
            name: 'a.service',
            contents: '[Unit]\n',
            dropins: [{ name: 'a.conf', contents: '[Unit]\n' }],
            enabled: false,
            mask: false,
          },
        ],
      },
    }
    const parsed = parseConfig(JSON.stringify(everything))
    expect(parsed.report.entries).toEqual([])
    expect(parsed.config).toEqual(everything)
  })

  it('omits null and absent fields, except names and paths, which are empty', () => {
    const text = config(
      ',"storage":{"files":[{"path":"/a","mode":null,"contents":null}],"links":null}',
    )
    expect(parseConfig(text).config).toEqual({
      ignition: { version: '3.5.0' },
      storage: { files: [{ path: '/a' }] },
    })
    expect(said(config(',"storage":{"files":[{}]}'))).toEqual([
      'error at $.storage.files[0].path (line 1, column 53): is required',
    ])
  })

  it('normalizes the version', () => {
    const parsed = parseConfig(config('', '03.1.0-'))
    expect(parsed.config?.ignition.version).toBe('3.1.0')
    expect(parsed.version).toBe('03.1.0-')
  })

  it('reports line and column', () => {
    const text = [
      '{',
      '  "ignition": { "version": "3.5.0" },',
      '  "storage": {',
      '    "files": [',
      '      { "path": "/ä" },',
      '      { "path": "/b", "mode": "0644" }',
      '    ]',
      '  },',
      '  "foo": 1',
      '}',
    ].join('\n')
    expect(said(text)).toEqual([
      'error at $.storage.files[1].mode (line 6, column 31): must be an integer (did you mean octal 0644 = 420?), not a string',
      'warning at $.foo (line 9, column 10): is ignored: the spec has no such key here',
    ])
  })

  it.each([
    ['', 'error at $: the config is empty'],
    ['{\n"a"', 'error at $ (line 2, column 4): not valid JSON: expected ":" after the key'],
    ['[]', 'error at $ (line 1, column 1): must be an object, not a list'],
    ['null', `error at $.ignition.version (line 1, column 1): is missing; ${supported()}`],
    ['{"ignition":5}', 'error at $.ignition (line 1, column 13): must be an object, not a number'],
    [
      '{"ignition":{"version":3}}',
      'error at $.ignition.version (line 1, column 24): must be a string, not a number',
    ],
    [
      config('', '3.6.0'),
      `error at $.ignition.version (line 1, column 24): is not a supported version; ${supported()}`,
    ],
    [
      config('', 'new'),
      `error at $.ignition.version (line 1, column 24): is not a version; ${supported()}`,
    ],
  ])('rejects %j', (text, entry) => {
    expect(said(text)).toEqual([entry])
    expect(parseConfig(text).config).toBeUndefined()
  })

  it('returns an unsupported version', () => {
    expect(parseConfig(config('', '2.2.0')).version).toBe('2.2.0')
    expect(parseConfig(config('', '9.9.9')).version).toBe('9.9.9')
    expect(parseConfig('{}').version).toBeUndefined()
  })

  it('reports all wrong types at once', () => {
    expect(
      said(
        config(',"storage":{"files":{},"links":[5]},"systemd":[],"passwd":{"users":[{"uid":1.5}]}'),
      ),
    ).toEqual([
      'error at $.storage.files (line 1, column 52): must be a list, not an object',
      'error at $.storage.links[0] (line 1, column 64): must be an object, not a number',
      'error at $.systemd (line 1, column 78): must be an object, not a list',
      'error at $.passwd.users[0].uid (line 1, column 107): must be an integer, without a fraction or an exponent',
    ])
  })
})

describe('mistakes', () => {
  const mistakes = (more: string, version = '3.2.0'): string[] =>
    parseConfig(config(more, version)).report.entries.map(
      ({ path, mistake = 'none' }) => `${mistake} at ${pathText(path)}`,
    )

  it.each([
    [
      ',"storage":{"files":[{"path":"/a","contents":{"inline":"hello"}}]}',
      'certain at $.storage.files[0].contents.inline',
    ],
    [',"storag":{"files":[{"path":"/a"}]}', 'certain at $.storag'],
    [',"kernelArguments":{"shouldExist":["quiet"]}', 'certain at $.kernelArguments'],
    [',"kernelArguments":{}', 'none at $.kernelArguments'],
    [',"networkd":{"units":[]}', 'none at $.networkd'],
    [',"networkd":{"units":[{"name":"a"}]}', 'certain at $.networkd'],
    [
      ',"storage":{"files":[{"path":"/a","filesystem":"root"}]}',
      'none at $.storage.files[0].filesystem',
    ],
    [
      ',"storage":{"files":[{"path":"/a","filesystem":"data"}]}',
      'certain at $.storage.files[0].filesystem',
    ],
    [`,"comment":${'['.repeat(20)}${']'.repeat(20)}`, 'certain at $.comment'],
    [',"storage":{"files":[{"path":"/a","mode":644}]}', 'certain at $.storage.files[0].mode'],
    [',"storage":{"files":[{"path":"/a","mode":2541}]}', 'likely at $.storage.files[0].mode'],
    [',"storage":{"files":[{"path":"/a","mode":444}]}', 'likely at $.storage.files[0].mode'],
    [
      ',"passwd":{"users":[{"name":"core","passwordHash":"secret"}]}',
      'likely at $.passwd.users[0].passwordHash',
    ],
  ])('are marked only if data is lost: %s', (more, mistake) => {
    expect(mistakes(more)).toEqual([mistake])
  })

  it('are also found in spec 2', () => {
    const text =
      '{"ignition":{"version":"2.2.0"},"storage":{"files":[{"filesystem":"root","path":"/a","mode":2541}]},"passwd":{"users":[{"name":"core","passwordHash":"secret"}]},"storag":1}'
    const { config: read, report } = parseAnyVersion(text)
    expect(report.entries.map(({ path, mistake }) => `${mistake} at ${pathText(path)}`)).toEqual([
      'certain at $.storag',
      'likely at $.storage.files[0].mode',
      'likely at $.passwd.users[0].passwordHash',
    ])
    expect(read?.storage?.files?.[0]?.mode).toBe(0o755)
  })

  it('do not quote the value', () => {
    const text = config(
      ',"passwd":{"users":[{"name":"core","passwordHash":"TopSecret"}]},"storage":{"files":[{"path":"/a","contents":{"source":"TopSecret","inline":"TopSecret"}}]}',
    )
    expect(JSON.stringify(parseConfig(text).report.entries)).not.toContain('TopSecret')
  })

  it('of a Butane config point to butane', () => {
    expect(said('{"variant":"openshift","version":"4.16.0"}')).toEqual([
      'error at $.ignition.version (line 1, column 1): is missing; this is a Butane config: convert it with butane first',
    ])
  })
})

describe('keys', () => {
  it('of a later version are ignored with a hint', () => {
    expect(said(config(',"kernelArguments":5', '3.2.0'))).toEqual([
      'warning at $.kernelArguments (line 1, column 51): is ignored: it needs version 3.3.0 or later; in a MachineConfig use spec.kernelArguments',
    ])
    expect(parseConfig(config(',"kernelArguments":5', '3.2.0')).config).toEqual({
      ignition: { version: '3.2.0' },
    })
  })

  it('are parsed in any case', () => {
    const parsed = parseConfig(
      '{"IGNITION":{"Ver\u017fion":"3.5.0"},"Storage":{"FILES":[{"path":"/a"}]}}',
    )
    expect(parsed.config).toEqual({
      ignition: { version: '3.5.0' },
      storage: { files: [{ path: '/a' }] },
    })
    expect(parsed.report.entries.map(entryText)).toEqual([
      'warning at $.IGNITION (line 1, column 13): is read as "ignition"; use that spelling',
      'warning at $.ignition["Verſion"] (line 1, column 24): is read as "version"; use that spelling',
      'warning at $.Storage (line 1, column 43): is read as "storage"; use that spelling',
      'warning at $.storage.FILES (line 1, column 52): is read as "files"; use that spelling',
    ])
  })

  it('that occur twice are decoded into the same struct', () => {
    const text = config(
      ',"storage":{"files":[{"path":"/a","mode":1}]},"storage":{"files":[{"mode":2}]}',
    )
    expect(parseConfig(text).config?.storage).toEqual({ files: [{ path: '/a', mode: 2 }] })
    expect(said(text)).toEqual([
      'warning at $.storage (line 1, column 88): occurs more than once; later values override earlier ones',
    ])
  })

  it('of the prototype are unknown', () => {
    const text = config(',"__proto__":{"storage":{"files":[{"path":"/x"}]}},"constructor":1')
    const parsed = parseConfig(text)
    expect(parsed.config).toEqual({ ignition: { version: '3.5.0' } })
    expect(parsed.config?.storage).toBeUndefined()
    expect(said(text)).toHaveLength(2)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('numbers', () => {
  const uid = (text: string) =>
    parseConfig(config(`,"passwd":{"users":[{"name":"a","uid":${text}}]}`))

  it.each([
    ['0', 0],
    ['-0', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ])('%s is %d', (text, value) => {
    expect(uid(text).config?.passwd?.users?.[0]?.uid).toBe(value)
    expect(uid(text).report.entries).toEqual([])
  })

  it('that cannot be represented exactly are rounded with a warning', () => {
    expect(uid('9223372036854775807').report.entries.map(({ message }) => message)).toEqual([
      'is too large to be represented exactly; it is rounded to 9223372036854776000',
    ])
  })

  it.each(['9223372036854775808', '-9223372036854775809', '1'.repeat(30)])(
    'that are out of range are rejected: %s',
    (text) => {
      expect(uid(text).report.entries.map(({ message }) => message)).toEqual(['is out of range'])
    },
  )
})

describe('parseConfigValue', () => {
  it('parses a value like a text', () => {
    const value = {
      ignition: { version: '3.5.0' },
      storage: { files: [{ path: '/a', mode: 420 }] },
    }
    expect(parseConfigValue(value)).toEqual(parseConfig(JSON.stringify(value)))
  })

  it('has no positions', () => {
    const value = { ignition: { version: '3.5.0' }, storage: { files: [{ path: 'a', mode: 1.5 }] } }
    expect(parseConfigValue(value).report.entries).toEqual([
      {
        level: 'error',
        path: ['storage', 'files', 0, 'mode'],
        message: 'must be an integer, without a fraction or an exponent',
      },
    ])
  })

  it.each([undefined, null, 5, 'text', [], () => 5, 5n, new Date()])('rejects %s', (value) => {
    expect(parseConfigValue(value).report.fatal).toBe(true)
  })

  it('does not read unknown parts of the value', () => {
    const around: Record<string, unknown> = { ignition: { version: '3.5.0' } }
    around['itself'] = around
    expect(parseConfigValue(around).config).toEqual({ ignition: { version: '3.5.0' } })
  })
})

function supported(): string {
  return 'use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0'
}
