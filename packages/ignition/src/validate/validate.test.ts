import { describe, expect, it } from 'vitest'
import type { Config, Storage, Unit } from '../spec/config.ts'
import { pathText } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { validate } from './validate.ts'

// packages/ignition/test/corpus compares the validity of configs with Ignition. These tests cover levels and paths of findings.

type Rest = Partial<Config>

function findings(rest: Rest, spec: Spec = '3.5'): string[] {
  const ignition = { version: `${spec}.0`, ...rest.ignition }
  return validate({ ...rest, ignition }).entries.map(
    ({ level, path }) => `${level} ${pathText(path)}`,
  )
}

const storage = (inner: Storage): Rest => ({ storage: inner })
const units = (...inner: Unit[]): Rest => ({ systemd: { units: inner } })
const install = '[Unit]\nA=b\n[Install]\nWantedBy=a.target\n'

describe('versions', () => {
  it('determine the rules', () => {
    const gs = storage({ files: [{ path: '/a', contents: { source: 'gs://a/b' } }] })
    expect(findings(gs, '3.1')).toEqual(['error $.storage.files[0].contents.source'])
    expect(findings(gs, '3.2')).toEqual([])
  })

  it('must be supported', () => {
    expect(validate({ ignition: { version: '3.9.0' } }).entries).toEqual([
      {
        level: 'error',
        path: ['ignition', 'version'],
        message: 'must be one of 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
      },
    ])
  })
})

describe('warnings', () => {
  it.each<[string, Rest, string]>([
    ['special bits', storage({ files: [{ path: '/a', mode: 0o4755 }] }), '$.storage.files[0].mode'],
    [
      'special bits of a directory',
      storage({ directories: [{ path: '/a', mode: 0o1777 }] }),
      '$.storage.directories[0].mode',
    ],
    [
      'the owner of a hard link',
      storage({ links: [{ path: '/a', target: '/b', hard: true, user: { name: '' } }] }),
      '$.storage.links[0].user.name',
    ],
    [
      'a filesystem over partitions',
      storage({
        disks: [{ device: '/dev/a', partitions: [{ number: 1 }] }],
        filesystems: [{ device: '/dev/a', format: 'xfs', wipeFilesystem: true }],
      }),
      '$.storage.filesystems[0].device',
    ],
    [
      'a filesystem that is wiped with its disk',
      storage({
        disks: [{ device: '/dev/a', wipeTable: true }],
        filesystems: [{ device: '/dev/a', format: 'xfs' }],
      }),
      '$.storage.filesystems[0].device',
    ],
    [
      'an unencrypted connection to an HTTPS proxy',
      { ignition: { version: '3.5.0', proxy: { httpsProxy: 'http://p' } } },
      '$.ignition.proxy.httpsProxy',
    ],
    [
      'enabling a unit without [Install]',
      units({ name: 'a.service', enabled: true, contents: '[Unit]\nA=b\n[Install]\n' }),
      '$.systemd.units[0].enabled',
    ],
    [
      'enabling an instance whose template has no [Install]',
      units(
        { name: 'a@.service', contents: '[Unit]\nA=b\n' },
        { name: 'a@b.service', enabled: true },
      ),
      '$.systemd.units[1].enabled',
    ],
  ])('of %s', (_, rest, path) => {
    expect(findings(rest)).toEqual([`warning ${path}`])
  })

  it.each<[string, Rest]>([
    ['a unit with [Install]', units({ name: 'a.service', enabled: true, contents: install })],
    ['a unit that is not enabled', units({ name: 'a.service', contents: '[Unit]\nA=b\n' })],
    ['a unit of the operating system', units({ name: 'a.service', enabled: true })],
    [
      'an instance whose template has [Install]',
      units({ name: 'a@.service', contents: install }, { name: 'a@b.service', enabled: true }),
    ],
    ['an instance of another template', units({ name: 'a@b.service', enabled: true })],
    [
      'a disk that is wiped with its filesystem',
      storage({
        disks: [{ device: '/dev/a', wipeTable: true }],
        filesystems: [{ device: '/dev/a', format: 'xfs', wipeFilesystem: true }],
      }),
    ],
  ])('are not reported for %s', (_, rest) => {
    expect(findings(rest)).toEqual([])
  })
})

describe('errors', () => {
  const luks = (inner: object): Rest => storage({ luks: [{ name: 'l', device: '/a', ...inner }] })
  const disk = (...partitions: object[]): Rest => storage({ disks: [{ device: '/a', partitions }] })

  it.each<[Rest, string[]]>([
    [
      storage({ files: [{ path: 'a', mode: -1, overwrite: true }] }),
      ['path', 'mode', 'overwrite'].map((f) => `$.storage.files[0].${f}`),
    ],
    [storage({ files: [{ path: '/a', user: { id: 1, name: 'a' } }] }), ['$.storage.files[0].user']],
    [
      storage({ files: [{ path: '/a', append: [{ source: 'x' }, { compression: 'x' }] }] }),
      ['$.storage.files[0].append[0].source', '$.storage.files[0].append[1].compression'],
    ],
    [
      storage({ files: [{ path: '/a', contents: { verification: { hash: 'x' } } }] }),
      [
        '$.storage.files[0].contents.verification.hash',
        '$.storage.files[0].contents.verification.hash',
      ],
    ],
    [
      storage({
        files: [
          { path: '/a', contents: { source: 'data:,', httpHeaders: [{ name: '', value: '' }] } },
        ],
      }),
      ['', '[0].name', '[0].value'].map((f) => `$.storage.files[0].contents.httpHeaders${f}`),
    ],
    [
      storage({
        links: [{ path: '/a', target: '/b' }],
        files: [{ path: '/a/b' }],
        directories: [{ path: '/a/c' }],
      }),
      ['$.storage.directories[0]', '$.storage.files[0]'],
    ],
    [storage({ links: [{ path: '/a' }] }), ['$.storage.links[0].target']],
    [
      storage({ links: [{ path: '/a', target: '/b', hard: true }], directories: [{ path: '/b' }] }),
      ['$.storage.links[0]'],
    ],
    [
      storage({
        directories: [{ path: '/a' }],
        files: [{ path: '/a' }],
        links: [{ path: '/a', target: '/b' }],
      }),
      ['$.storage.files[0]', '$.storage.links[0]'],
    ],
    [storage({ disks: [{ device: '' }] }), ['$.storage.disks[0].device']],
    [disk({}), ['$.storage.disks[0].partitions[0]']],
    [
      disk({ label: 'a:b', guid: 'x', typeGuid: 'y' }),
      ['label', 'guid', 'typeGuid'].map((f) => `$.storage.disks[0].partitions[0].${f}`),
    ],
    [
      disk({ number: 1, label: 'a' }, { number: 2, label: 'a' }),
      ['$.storage.disks[0].partitions[1].label'],
    ],
    [disk({ number: 1, shouldExist: false }, { label: 'a' }), ['$.storage.disks[0].partitions']],
    [
      disk({ number: 1, startMiB: 1, sizeMiB: 9 }, { number: 2, startMiB: 5, sizeMiB: 9 }),
      ['$.storage.disks[0].partitions[1]'],
    ],
    [disk({ number: 1 }, { number: 1 }), ['$.storage.disks[0].partitions[1]']],
    [
      storage({ filesystems: [{ device: 'a', format: 'x', path: 'b' }] }),
      ['path', 'device', 'format'].map((f) => `$.storage.filesystems[0].${f}`),
    ],
    [
      storage({ filesystems: [{ device: '/a', format: 'vfat', label: 'x'.repeat(12) }] }),
      ['$.storage.filesystems[0].label'],
    ],
    [
      storage({ raid: [{ name: 'a', level: 'x', devices: ['b'] }] }),
      ['$.storage.raid[0].level', '$.storage.raid[0].devices[0]'],
    ],
    [
      storage({ raid: [{ name: 'a', level: '0', spares: 1 }] }),
      ['$.storage.raid[0].spares', '$.storage.raid[0].devices'],
    ],
    [
      luks({ name: 'a/b', label: 'x'.repeat(48), device: undefined }),
      ['name', 'label', 'device'].map((f) => `$.storage.luks[0].${f}`),
    ],
    [
      luks({ clevis: { tang: [{ advertisement: '{' }] } }),
      ['url', 'thumbprint', 'advertisement'].map((f) => `$.storage.luks[0].clevis.tang[0].${f}`),
    ],
    [
      luks({ clevis: { tpm2: true, custom: { pin: 'x' } } }),
      ['', '.custom.pin', '.custom.config'].map((f) => `$.storage.luks[0].clevis${f}`),
    ],
    [
      luks({ cex: { enabled: true }, clevis: { tpm2: true }, keyFile: { source: 'data:,' } }),
      ['$.storage.luks[0].cex', '$.storage.luks[0].cex'],
    ],
    [
      units({ name: 'a', contents: '[', dropins: [{ name: 'b', contents: '[' }] }),
      ['name', 'contents', 'dropins[0].contents', 'dropins[0].name'].map(
        (f) => `$.systemd.units[0].${f}`,
      ),
    ],
    [
      {
        ...units({ name: 'a.service', contents: '[Unit]' }),
        ...storage({ files: [{ path: '/etc/systemd/system/a.service' }] }),
      },
      ['$.storage.files[0].path'],
    ],
    [
      { passwd: { users: [{ name: 'a', groups: ['b', 'b'] }, { name: 'a' }] } },
      ['$.passwd.users[1]', '$.passwd.users[0].groups[1]'],
    ],
    [
      { kernelArguments: { shouldExist: ['a'], shouldNotExist: ['b', 'a'] } },
      ['$.kernelArguments.shouldNotExist[1]'],
    ],
    [
      {
        ignition: {
          version: '3.5.0',
          config: { merge: [{}] },
          proxy: { httpProxy: '' },
          security: { tls: { certificateAuthorities: [{}] } },
        },
      },
      [
        'config.merge[0].source',
        'security.tls.certificateAuthorities[0].source',
        'proxy.httpProxy',
      ].map((f) => `$.ignition.${f}`),
    ],
  ])('are reported with their path: %j', (rest, paths) => {
    expect(findings(rest)).toEqual(paths.map((path) => `error ${path}`))
  })

  it('never quote values that may be secret', () => {
    const secret = 'TopSecret'
    const config: Config = {
      ignition: { version: '3.5.0' },
      passwd: { users: [{ name: 'a', passwordHash: secret, sshAuthorizedKeys: [secret, secret] }] },
      storage: {
        files: [{ path: '/a', contents: { source: `data:;base64,${secret}` } }],
        luks: [{ name: 'l', device: '/a', keyFile: { source: `data:,${secret} ` } }],
      },
      systemd: { units: [{ name: 'a.service', contents: `[Unit]\n${secret}\n` }] },
    }
    const { entries } = validate(config)
    expect(entries.length).toBeGreaterThan(3)
    expect(JSON.stringify(entries)).not.toContain(secret)
  })
})

describe('time', () => {
  it('grows linearly with the size of the config', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => i)
    const config: Config = {
      ignition: { version: '3.5.0' },
      passwd: { users: many.map((i) => ({ name: `u${i}` })) },
      storage: {
        links: many.map((i) => ({ path: `/l${i}`, target: '/t', hard: true })),
        files: many.map((i) => ({ path: `/etc/systemd/system/f${i}.service` })),
        directories: [
          ...many.map((i) => ({ path: `/d${i}` })),
          { path: `/x${'/y'.repeat(50_000)}` },
        ],
        disks: [
          {
            device: '/dev/a',
            partitions: many.map((i) => ({
              number: i + 1,
              label: `p${i}`,
              startMiB: 100 * i + 50,
              sizeMiB: -9,
            })),
          },
        ],
      },
      systemd: {
        units: [
          ...many.map((i) => ({ name: `u${i}.service`, contents: '[Unit]\n' })),
          { name: 'long.service', contents: `${' '.repeat(1_000_000)}\n` },
          { name: 'wide.service', contents: `[Unit]\n${'A=b\\\n'.repeat(200_000)}` },
        ],
      },
    }
    expect(validate(config).entries.map(({ path }) => pathText(path))).toEqual([
      '$.systemd.units[50000].contents',
    ])
  })
})
