import { describe, expect, it } from 'vitest'
import type { Config } from '../spec/config.ts'
import { merge } from '../merge.ts'
import { specs } from '../spec/version.ts'
import { upgrade } from './upgrade.ts'

describe('an upgrade within spec 3', () => {
  it('changes only the version', () => {
    for (const spec of specs) {
      const config: Config = {
        ignition: { version: `${spec}.0`, timeouts: { httpTotal: 1 } },
        storage: { files: [{ path: '/a', contents: { source: 'data:,' } }] },
      }
      expect(upgrade(config, spec)).toEqual({
        ignition: { version: '3.5.0', timeouts: { httpTotal: 1 } },
        storage: { files: [{ path: '/a', contents: { source: 'data:,' } }] },
      })
    }
  })

  it('keeps newer fields, such as the advertisement of a tang server', () => {
    const storage = {
      luks: [
        {
          name: 'root',
          device: '/dev/sda',
          clevis: { tang: [{ url: 'http://t', thumbprint: 'x', advertisement: '{}' }] },
        },
      ],
    }
    const upgraded = upgrade({ ignition: { version: '3.4.0' }, storage }, '3.4')
    expect(upgraded.storage).toEqual(storage)
  })

  it.each([
    ['3.3', 0o755],
    ['3.4', 0o4755],
  ] as const)('keeps setuid bits from 3.4 on, as Ignition does: %s', (spec, mode) => {
    const storage = {
      files: [{ path: '/a', mode: 0o4755 }, { path: '/b' }],
      directories: [{ path: '/c', mode: 0o4755 }],
    }
    expect(upgrade({ ignition: { version: `${spec}.0` }, storage }, spec).storage).toEqual({
      files: [{ path: '/a', mode }, { path: '/b' }],
      directories: [{ path: '/c', mode }],
    })
  })

  it('returns a config of the internal version unchanged', () => {
    const config: Config = { ignition: { version: '3.5.0' } }
    expect(upgrade(config, '3.5')).toBe(config)
  })

  it('sets strings that were not optional before, so that they still win in a merge', () => {
    const link = (version: string, target?: string): Config => ({
      ignition: { version },
      storage: { links: [{ path: '/a', ...(target !== undefined && { target }) }] },
    })
    const old = upgrade(link('3.2.0'), '3.2')
    expect(old.storage?.links).toEqual([{ path: '/a', target: '' }])
    expect(merge([link('3.5.0', '/b'), old]).storage?.links).toEqual([{ path: '/a', target: '' }])
    const newer = upgrade(link('3.3.0'), '3.3')
    expect(merge([link('3.5.0', '/b'), newer]).storage?.links).toEqual([
      { path: '/a', target: '/b' },
    ])
  })

  it('sets RAID levels, custom clevis pins and, from 3.0, the source of a CA', () => {
    const upgraded = upgrade(
      {
        ignition: { version: '3.0.0', security: { tls: { certificateAuthorities: [{}] } } },
        storage: {
          raid: [{ name: 'r', devices: ['/dev/a'] }],
          luks: [
            { name: 'l', clevis: { custom: { needsNetwork: true } } },
            { name: 'm', clevis: {} },
          ],
        },
      },
      '3.0',
    )
    expect(upgraded).toEqual({
      ignition: {
        version: '3.5.0',
        security: { tls: { certificateAuthorities: [{ source: '' }] } },
      },
      storage: {
        raid: [{ name: 'r', devices: ['/dev/a'], level: '' }],
        luks: [
          { name: 'l', clevis: { custom: { needsNetwork: true, config: '', pin: '' } } },
          { name: 'm', clevis: {} },
        ],
      },
    })
  })
})
