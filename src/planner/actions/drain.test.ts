import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Parts } from '../configs.fixture.ts'
import { facts, file, planned } from '../configs.fixture.ts'
import type { PlanRules } from '../model/plan-input.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { registriesDanger } from './registries.ts'

const path = '/etc/containers/registries.conf'

const registry = (location: string, more = '', mirrors: readonly string[] = []): string =>
  [
    `[[registry]]\nlocation = "${location}"\n${more}`,
    ...mirrors.map((mirror) => `[[registry.mirror]]\n${mirror}`),
  ].join('\n')
const digestMirror = (location: string): string =>
  `location = "${location}"\npull-from-mirror = "digest-only"`
const tagMirror = (location: string): string => `location = "${location}"`

const quay = registry('quay.io', '', [digestMirror('mirror.one')])
const search = (...names: string[]): string =>
  `unqualified-search-registries = [${names.map((name) => `"${name}"`).join(', ')}]\n`

describe('a change of registries.conf', () => {
  it.each<[string, string, string, string | undefined]>([
    ['unchanged', quay, quay, undefined],
    [
      'a registry is added, its mirror limited to digests',
      quay,
      `${quay}\n${registry('docker.io', '', [digestMirror('mirror.two')])}`,
      undefined,
    ],
    [
      'a registry is added without mirrors and not limited to digests',
      quay,
      `${quay}\n${registry('docker.io')}`,
      'registry docker.io: is added, and its mirrors are not limited to digests',
    ],
    ['a registry is removed', quay, '', 'registry quay.io is removed'],
    [
      'a mirror is added, limited to digests',
      quay,
      registry('quay.io', '', [digestMirror('mirror.one'), digestMirror('mirror.two')]),
      undefined,
    ],
    [
      'a mirror is added, also for tags',
      quay,
      registry('quay.io', '', [digestMirror('mirror.one'), tagMirror('mirror.two')]),
      'registry quay.io: mirror mirror.two is added and is not limited to digests',
    ],
    [
      'a mirror is added, and the registry is limited to digests',
      registry('quay.io', 'mirror-by-digest-only = true'),
      registry('quay.io', 'mirror-by-digest-only = true', [tagMirror('mirror.two')]),
      undefined,
    ],
    [
      'a mirror is removed',
      quay,
      registry('quay.io'),
      'registry quay.io: mirror mirror.one is removed',
    ],
    [
      'a search registry is removed',
      search('a', 'b'),
      search('a'),
      'an unqualified search registry is removed or moved',
    ],
    [
      'search registries in another order',
      search('a', 'b'),
      search('b', 'a'),
      'an unqualified search registry is removed or moved',
    ],
    [
      'a search registry is appended, and a mirror is limited to digests',
      search('a') + registry('quay.io', '', [tagMirror('mirror.one')]),
      search('a', 'b') + quay,
      undefined,
    ],
    [
      'another prefix',
      registry('quay.io', 'prefix = "a"'),
      registry('quay.io', 'prefix = "b"'),
      'registry a is removed',
    ],
    [
      'blocked',
      registry('quay.io'),
      registry('quay.io', 'blocked = true'),
      'registry quay.io: blocked changes',
    ],
    [
      'insecure',
      registry('quay.io'),
      registry('quay.io', 'insecure = true'),
      'registry quay.io: insecure changes',
    ],
    [
      'another location of a prefix',
      registry('quay.io', 'prefix = "a"'),
      registry('docker.io', 'prefix = "a"'),
      'registry a: location changes',
    ],
    [
      'a digest mirror also for tags',
      quay,
      registry('quay.io', '', [tagMirror('mirror.one')]),
      'registry quay.io: pull-from-mirror of mirror.one changes',
    ],
    [
      'a new registry next to a blocked one',
      registry('quay.io', 'blocked = true'),
      `${registry('quay.io', 'blocked = true')}\n${registry('docker.io', '', [digestMirror('m')])}`,
      undefined,
    ],
    ['broken', quay, 'registry = ', 'not valid TOML (line 1, column 12)'],
    [
      'old format',
      '',
      '[registries.search]\nregistries = ["a"]',
      'it uses the old format with [registries]',
    ],
    ['twice', quay, quay + '\n' + quay, 'registry quay.io is listed twice'],
    ['an invalid type', '', 'registry = 5', 'registry must be a list of tables'],
  ])('%s', (_, before, after, danger) => {
    expect(registriesDanger(before, after)).toBe(danger)
  })

  it('with 4.12 depends only on mirror-by-digest-only', () => {
    const byDigest = registry('quay.io', 'mirror-by-digest-only = true')
    const mirrored = registry('quay.io', 'mirror-by-digest-only = true', [tagMirror('m')])
    expect(registriesDanger(byDigest, mirrored, '4.12')).toBeUndefined()
    expect(registriesDanger('', byDigest, '4.12')).toBeUndefined()
    expect(registriesDanger('', quay, '4.12')).toBe(
      'registry quay.io: is added, and its mirrors are not limited to digests',
    )
    expect(registriesDanger(registry('quay.io'), byDigest, '4.12')).toBe(
      'registry quay.io: mirror-by-digest-only changes',
    )
  })

  it('never throws, for any text', () => {
    const piece = fc.constantFrom(
      '[[registry]]\n',
      'location = "a"\n',
      'x = [',
      '"',
      '=',
      '__proto__ = 1\n',
      '[a.b]\n',
      quay,
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(['string', 'undefined']).toContain(typeof registriesDanger(before, after))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the decision to drain', () => {
  const of = (content: string): Parts => ({ files: [file(path, content)] })
  const decided = (before: Parts, after: Parts, rules?: PlanRules): object => {
    const { drain, drainRule, steps } = planned(before, after, { ...(rules && { rules }) })
    expect(steps[0]?.do === 'drain').toBe(drain)
    return { drain, drainRule }
  }

  it.each<[string, PlanRules | undefined]>([
    ['policies', undefined],
    ['4.16', '4.16'],
  ])('checks registries.conf under %s', (_, rules) => {
    expect(decided(of(search('a')), of(search('a', 'test.io')), rules)).toEqual({
      drain: false,
      drainRule:
        'the change of /etc/containers/registries.conf is safe: all images are still pulled from the same locations',
    })
    expect(decided(of(search('a', 'test.io')), of(search('a')), rules)).toEqual({
      drain: true,
      drainRule:
        'the change of /etc/containers/registries.conf is not safe: an unqualified search registry is removed or moved',
    })
    expect(decided(of(quay), {}, rules)).toMatchObject({ drain: true })
  })

  it('decompresses the content first', () => {
    const packed = (text: string): Parts => ({
      files: [
        {
          path,
          contents: {
            source: `data:;base64,${gzipSync(text).toString('base64')}`,
            compression: 'gzip',
          },
        },
      ],
    })
    expect(decided(packed(search('a')), packed(search('a', 'b')))).toMatchObject({ drain: false })
  })

  it('is yes if the content is invalid, with the reason', () => {
    expect(decided(of(quay), of('broken ='))).toEqual({
      drain: true,
      drainRule:
        'the change of /etc/containers/registries.conf is not safe: not valid TOML (line 1, column 9)',
    })
  })

  it('follows the policy of the user', () => {
    const rules = { policies: mergePolicies({ files: [{ path, actions: [{ type: 'None' }] }] }) }
    expect(decided(of(quay), {}, rules)).toEqual({
      drain: false,
      drainRule: 'no action disrupts running pods',
    })
    const draining = {
      policies: mergePolicies({ files: [{ path, actions: [{ type: 'Drain' }] }] }),
    }
    expect(decided(of(quay), of(`${quay}\n`), draining)).toEqual({
      drain: true,
      drainRule: 'policy for /etc/containers/registries.conf',
    })
  })

  describe('while the ConfigMap image-registry-override-drain exists', () => {
    const over = { registryDrainOverride: true }
    const unsafe =
      'the change of /etc/containers/registries.conf is not safe: registry quay.io is removed'

    it.each<[string, PlanRules, boolean, string]>([
      [
        'policies',
        { policies: mergePolicies() },
        false,
        `${unsafe}; the drain is skipped because the ConfigMap image-registry-override-drain exists`,
      ],
      [
        '4.16',
        '4.16',
        false,
        `${unsafe}; the drain is skipped because the ConfigMap image-registry-override-drain exists`,
      ],
      ['4.12, which does not know of it', '4.12', true, unsafe],
    ])('an unsafe change by the rules of %s', (_, rules, drain, drainRule) => {
      expect(planned(of(quay), {}, { ...over, rules })).toMatchObject({ drain, drainRule })
    })

    it('a safe change, a reboot and a policy with Drain are not affected', () => {
      expect(planned(of(quay), of(`${quay}\n`), over)).toMatchObject({
        drain: false,
        drainRule:
          'the change of /etc/containers/registries.conf is safe: all images are still pulled from the same locations',
      })
      expect(planned(of(quay), { osImageURL: 'x' }, over)).toMatchObject({
        drain: true,
        drainRule: 'the node reboots',
      })
      const rules = { policies: mergePolicies({ files: [{ path, actions: [{ type: 'Drain' }] }] }) }
      expect(planned(of(quay), {}, { ...over, rules })).toMatchObject({ drain: true })
    })
  })

  it('is yes for a reboot and no for no action', () => {
    expect(decided({}, { files: [file('/etc/x')] })).toEqual({
      drain: true,
      drainRule: 'the node reboots',
    })
    expect(decided({}, {})).toMatchObject({ drain: false })
  })

  it('is no if the node is never drained', () => {
    const made = planned({}, { osImageURL: 'x' }, { facts: { ...facts, drains: false } })
    expect(made).toMatchObject({
      drain: false,
      reboot: true,
      drainRule:
        'the node reboots, but this node is not drained: it is the only node of the cluster, or it has no pods yet',
    })
  })
})
