import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from './arbitrary-config.fixture.ts'
import type { Config } from './spec/config.ts'
import { sameConfig } from './equality.ts'
import { mergeExplained } from './merge-explained.ts'
import { merge } from './merge.ts'

const of = (rest: Omit<Config, 'ignition'>): Config => ({ ignition: { version: '3.5.0' }, ...rest })

function decisions(...configs: Config[]): Record<string, number> {
  const all = mergeExplained(configs).decisions
  return Object.fromEntries(all.map(({ path, from }) => [path.join(' '), from]))
}

describe('an explained merge', () => {
  it('reports for every field the input that decided it', () => {
    expect(
      decisions(
        of({
          storage: {
            files: [
              { path: '/a', mode: 420, contents: { source: 'data:,1', compression: 'gzip' } },
              { path: '/b' },
            ],
          },
        }),
        of({ storage: { files: [{ path: '/a', contents: { source: 'data:,2' } }] } }),
        of({ storage: { files: [{ path: '/c', user: { id: 1 } }] } }),
      ),
    ).toEqual({
      'ignition version': 2,
      'storage files /a path': 1,
      'storage files /a mode': 0,
      'storage files /a contents source': 1,
      'storage files /a contents compression': 0,
      'storage files /b path': 0,
      'storage files /c path': 2,
      'storage files /c user id': 2,
    })
  })

  it('reports the origin of each key, option and drop-in', () => {
    expect(
      decisions(
        of({
          passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['x', 'y'] }] },
          systemd: { units: [{ name: 'a.service', dropins: [{ name: '1.conf' }] }] },
          storage: { raid: [{ name: 'r', options: ['o'] }] },
        }),
        of({
          passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['y', 'z'] }] },
          systemd: { units: [{ name: 'a.service', dropins: [{ name: '2.conf' }] }] },
          storage: { raid: [{ name: 'r', options: ['o'] }] },
        }),
      ),
    ).toEqual({
      'ignition version': 1,
      'passwd users core name': 1,
      'passwd users core sshAuthorizedKeys x': 0,
      'passwd users core sshAuthorizedKeys y': 1,
      'passwd users core sshAuthorizedKeys z': 1,
      'systemd units a.service name': 1,
      'systemd units a.service dropins 1.conf name': 0,
      'systemd units a.service dropins 2.conf name': 1,
      'storage raid r name': 1,
      'storage raid r options 0': 0,
      'storage raid r options 1': 1,
    })
  })

  it('reports removed items, their input and the input that removed them', () => {
    const { removals } = mergeExplained([
      of({ storage: { files: [{ path: '/a' }] }, kernelArguments: { shouldExist: ['quiet'] } }),
      of({ storage: { files: [{ path: '/a', mode: 420 }] } }),
      of({
        storage: { directories: [{ path: '/a' }] },
        kernelArguments: { shouldNotExist: ['quiet'] },
      }),
    ])
    expect(removals).toEqual([
      { path: ['kernelArguments', 'shouldExist', 'quiet'], from: 0, by: 2 },
      { path: ['storage', 'files', '/a'], from: 1, by: 2 },
    ])
  })

  it('reports contents as a unit with contentsAsOne', () => {
    const file = (source: string, compression?: string): Config =>
      of({
        storage: {
          files: [{ path: '/a', contents: { source, ...(compression && { compression }) } }],
        },
      })
    const { decisions } = mergeExplained([file('data:,1', 'gzip'), file('data:,2')], {
      contentsAsOne: true,
    })
    const paths = decisions.map(({ path }) => path.join(' '))
    expect(paths).toContain('storage files /a contents source')
    expect(paths).not.toContain('storage files /a contents compression')
  })

  it('returns the same config as a plain merge', () => {
    fc.assert(
      fc.property(fc.array(arbitraryConfig(), { minLength: 1, maxLength: 4 }), (all) => {
        expect(sameConfig(mergeExplained(all).config, merge(all))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('decides every value of the result exactly once', () => {
    fc.assert(
      fc.property(fc.array(arbitraryConfig(), { minLength: 1, maxLength: 4 }), (all) => {
        const { config, decisions } = mergeExplained(all)
        const paths = decisions.map(({ path }) => path.join('\0'))
        expect(new Set(paths).size).toBe(paths.length)
        expect(paths.length).toBe(countValues(config))
      }),
      { numRuns: 100 },
    )
  })
})

/** Scalars and items of concatenated lists, each as one value. */
function countValues(value: unknown, name = ''): number {
  if (['append', 'options', 'mountOptions'].includes(name)) return (value as unknown[]).length
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [key, inner]) => sum + countValues(inner, key), 0)
}
