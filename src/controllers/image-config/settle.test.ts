import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Given } from './cluster-word.fixture.ts'
import {
  clusterWord,
  done,
  idms,
  itms,
  key,
  releaseImage,
  rule,
  signed,
} from './cluster-word.fixture.ts'
import { readRegistries } from '../../planner/registries.ts'
import { cutOffBy } from './payload.ts'
import { readPolicy } from './policy-json.ts'
import { isNested } from './scopes.ts'
import { understand } from './settle.ts'

const conf = '/etc/containers/registries.conf'
const policyFile = '/etc/containers/policy.json'
const mirrorsIn = (text: string | undefined): Record<string, string[]> =>
  Object.fromEntries(
    [...readRegistries(text ?? '').byScope].map(([scope, { mirrors, blocked }]) => [
      scope,
      [...mirrors.map(({ location }) => location), ...(blocked ? ['blocked'] : [])],
    ]),
  )
const scopesIn = (text: string | undefined): string[] =>
  [...(readPolicy(text ?? '').transports.get('docker') ?? [])].map(
    ([scope, list]) => `${scope}: ${list.map(({ type }) => type).join(' ')}`,
  )

describe('an ImageContentPolicy', () => {
  it('names mirrors by digest, and by tag where it says so', () => {
    const repositoryDigestMirrors = [
      { source: 'a.io', mirrors: ['m.io'] },
      { source: 'b.io', mirrors: ['m.io'], allowMirrorByTags: true },
    ]
    const policy = { metadata: { name: 'c' }, spec: { repositoryDigestMirrors } }
    const { files, problems } = done({ contentPolicies: [policy] })
    const { byScope } = readRegistries(files[conf] ?? '')
    const pulls = (scope: string): string[] | undefined =>
      byScope.get(scope)?.mirrors.map(({ location, pull }) => `${location} ${pull}`)
    expect(problems).toEqual([])
    expect(pulls('a.io')).toEqual(['m.io digest-only'])
    expect(pulls('b.io')).toEqual(['m.io digest-only', 'm.io tag-only'])
  })
})

describe('one that cannot be used holds back no other', () => {
  it('a rule', () => {
    const digestSets = [
      idms('good', rule('a.io', ['m.io/a'])),
      idms('mixed', rule('b.io', ['m.io/b']), rule('c.io', ['m.io/c '])),
    ]
    expect(mirrorsIn(done({ digestSets }).files[conf])).toEqual({
      'a.io': ['m.io/a'],
      'b.io': ['m.io/b'],
    })
  })

  it('and nodes keep the mirrors that they may have from it, while all others change', () => {
    const before = done({
      digestSets: [
        idms('one', rule('a.io', ['m1.io']), rule('b.io', ['m2.io'], 'NeverContactSource')),
        idms('two', rule('c.io', ['m3.io'])),
      ],
    })
    const after = done(
      {
        digestSets: [
          idms('one', rule('a.io', ['m1.io ']), rule('b.io ', ['m2.io'], 'NeverContactSource')),
          idms('two', rule('c.io', ['m4.io'])),
        ],
      },
      before.files,
    )
    expect(after.problems).toHaveLength(2)
    expect(mirrorsIn(after.files[conf])).toEqual({
      'a.io': ['m1.io'],
      'b.io': ['m2.io', 'blocked'],
      'c.io': ['m3.io', 'm4.io'],
    })
    // Once more, the file is what it is.
    const again = done(
      {
        digestSets: [
          idms('one', rule('a.io', ['m1.io ']), rule('b.io ', ['m2.io'])),
          idms('two', rule('c.io', ['m4.io'])),
        ],
      },
      after.files,
    )
    expect(again.files).toEqual(after.files)
    const mended = done({ digestSets: [idms('two', rule('c.io', ['m4.io']))] }, after.files)
    expect(mirrorsIn(mended.files[conf])).toEqual({ 'c.io': ['m4.io'] })
  })

  it('a rule without mirrors, which says nothing', () => {
    const digestSets = [idms('a', rule('a.io', []), rule('a.io', ['m.io']))]
    const { files, problems } = done({ digestSets })
    expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m.io'] })
    expect(problems).toEqual([])
  })

  it.each([
    ['older', [rule('a.io', [], 'NeverContactSource'), rule('a.io', ['m.io'])], 0, 1],
    ['younger', [rule('a.io', ['m.io']), rule('a.io', [], 'NeverContactSource')], 1, 0],
  ])('a rule without mirrors that contradicts another one: the %s', (_, rules, at, other) => {
    const { files, problems } = done({ digestSets: [idms('a', ...rules)] })
    expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m.io'] })
    expect(problems).toMatchObject([
      {
        reason: 'BadMirrors',
        effect: 'leftOut',
        message: `ImageDigestMirrorSet a: spec.imageDigestMirrors[${at}].mirrorSourcePolicy: conflicting mirrorSourcePolicy for source "a.io", other than in spec.imageDigestMirrors[${other}] of ImageDigestMirrorSet a; this rule has no mirrors, so it has no effect: remove it, or say the same in both`,
      },
    ])
  })

  it('the older of two rules that contradict each other has its way', () => {
    const at = (set: ReturnType<typeof idms>, creationTimestamp: string) => ({
      ...set,
      metadata: { ...set.metadata, creationTimestamp },
    })
    const young = at(
      idms('a', rule('a.io', ['m1.io'], 'NeverContactSource')),
      '2026-02-01T00:00:00Z',
    )
    const old = at(idms('b', rule('a.io', ['m2.io'])), '2026-01-01T00:00:00Z')
    for (const digestSets of [
      [young, old],
      [old, young],
    ]) {
      const { files, problems } = done({ digestSets })
      expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m2.io'] })
      expect(problems.map(({ message }) => message)).toEqual([
        'ImageDigestMirrorSet a: spec.imageDigestMirrors[0].mirrorSourcePolicy: conflicting mirrorSourcePolicy for source "a.io", other than in spec.imageDigestMirrors[0] of ImageDigestMirrorSet b, which was there first; say the same in both',
      ])
    }
  })

  it('a policy, and nodes keep asking for the signatures that it may have asked for', () => {
    const before = done({
      clusterPolicies: [signed('c', ['a.io']), signed('d', ['b.io'])],
      policies: [signed('p', ['x.io'], key, 'one'), signed('p', ['y.io'], key, 'two')],
    })
    const after = done(
      {
        clusterPolicies: [signed('c', ['a.io'], ''), signed('d', ['c.io'])],
        policies: [signed('p', ['x.io'], '', 'one'), signed('q', ['z.io'], key, 'one')],
      },
      before.files,
    )
    expect(scopesIn(after.files[policyFile])).toEqual([
      'a.io: sigstoreSigned',
      'b.io: sigstoreSigned',
      'c.io: sigstoreSigned',
    ])
    expect(scopesIn(after.files['/etc/crio/policies/one.json'])).toEqual([
      'a.io: sigstoreSigned',
      'b.io: sigstoreSigned',
      'c.io: sigstoreSigned',
      'x.io: sigstoreSigned',
      'z.io: sigstoreSigned',
    ])
    // Nothing is wrong in this one: it has no policy any more.
    expect(after.files).not.toHaveProperty(['/etc/crio/policies/two.json'])
    expect(after.files['/etc/containers/registries.d/sigstore-registries.yaml']).toContain(
      '  x.io:\n',
    )
  })

  it('a policy whose scope ends with a slash', () => {
    const { files } = done({ clusterPolicies: [signed('c', ['a.io/'])] })
    expect(scopesIn(files[policyFile])).toEqual(['a.io: sigstoreSigned'])
  })

  it('a policy of a namespace does not overrule one of the cluster that cannot be used', () => {
    const understood = understand(
      clusterWord({
        clusterPolicies: [signed('c', ['a.io'], '')],
        policies: [signed('p', ['a.io/x', 'b.io'], key, 'ns')],
      }),
    )
    expect(understood.signatures.overruled.map(({ scopes }) => scopes)).toEqual([['a.io/x']])
    expect([...understood.signatures.namespaces.get('ns')!.keys()]).toEqual(['b.io'])
  })
})

it('an entry inside a source of all hosts of a domain gets its mirrors, unless the port makes it another registry', () => {
  const insecureRegistries = ['x.a.io/ns', '*.y.a.io', 'x.a.io:443/ns']
  const digestSets = [idms('d', rule('*.a.io', ['m.io/p']))]
  expect(
    mirrorsIn(done({ registrySources: { insecureRegistries }, digestSets }).files[conf]),
  ).toEqual({
    '*.a.io': ['m.io/p'],
    'x.a.io/ns': ['m.io/p/ns'],
    '*.y.a.io': ['m.io/p'],
    'x.a.io:443/ns': [],
  })
})

it('a registry may be blocked where there is no release image because there is no OpenShift', () => {
  const registrySources = { blockedRegistries: ['release-reg.io'] }
  const { files, problems } = done({ registrySources, releaseImage: undefined })
  expect(problems).toEqual([])
  expect(mirrorsIn(files[conf])).toEqual({ 'release-reg.io': ['blocked'] })
  expect(scopesIn(files[policyFile])).toEqual(['release-reg.io: reject'])
})

describe('whatever a cluster says', () => {
  const scope = fc.oneof(
    fc.constantFrom(
      'a.io',
      'a.io/x',
      'a.io/x/y',
      '*.io',
      '*.a.io',
      'b.io',
      'b.io:1/x',
      'm.b.io',
      'release-reg.io',
      'release-reg.io/image/release',
      'https://a',
      '',
      'a.io/',
      '__proto__',
      'constructor',
      'a.io/x@sha256:00',
    ),
    fc.string({ maxLength: 6 }),
  )
  const rules = fc.array(
    fc
      .tuple(
        scope,
        fc.array(scope, { maxLength: 3 }),
        fc.constantFrom('NeverContactSource', 'AllowContactingSource'),
      )
      .map((one) => rule(...one)),
    { maxLength: 3 },
  )
  const sets = <T>(make: (name: string, ...given: ReturnType<typeof rule>[]) => T) =>
    fc
      .array(rules, { maxLength: 3 })
      .map((all) => all.map((given, i) => make(`set-${i}`, ...given)))
  const list = fc.array(scope, { maxLength: 3 })
  const policies = (namespace?: string) =>
    fc
      .array(fc.tuple(list, fc.constantFrom(key, '', '?')), { maxLength: 2 })
      .map((all) => all.map(([scopes, data], i) => signed(`p-${i}`, scopes, data, namespace)))
  const given: fc.Arbitrary<Given> = fc.record({
    registrySources: fc.record(
      {
        insecureRegistries: list,
        blockedRegistries: list,
        allowedRegistries: fc.oneof(fc.constant<string[]>([]), list),
        containerRuntimeSearchRegistries: list,
      },
      { requiredKeys: [] },
    ),
    digestSets: sets(idms),
    tagSets: sets(itms),
    clusterPolicies: policies(),
    policies: policies('ns'),
    releaseImage: fc.constantFrom(releaseImage, 'release-reg.io/image/release:1', '', undefined),
  })

  it('comes to files that can be read, with nothing in them twice, and does not cut off the release image', () => {
    fc.assert(
      fc.property(given, given, (first, second) => {
        const before = done(first)
        const { files, problems } = done(second, before.files)
        // It throws for what is there twice.
        const registries = [...readRegistries(files[conf] ?? '').byScope.values()]
        for (const { mirrors } of registries) {
          const places = mirrors.map(({ location, pull }) => `${location} ${pull}`)
          expect(new Set(places).size).toBe(places.length)
        }
        for (const [path, text] of Object.entries(files))
          if (path.endsWith('.json')) readPolicy(text)
        const isHeld = problems.some(({ effect }) => effect === 'held')
        const { payload, blocked } = understand(clusterWord(second)).lists
        if (!payload || isHeld) return
        expect(cutOffBy(payload, registries)).toBeUndefined()
        const covered = blocked.filter((one) => isNested(payload.repository, one))
        const hasMirrors = registries.some(({ mirrors }) => mirrors.length > 0)
        expect(covered.length > 0 && !hasMirrors).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('does not hang on the order in which objects are listed', () => {
    fc.assert(
      fc.property(given, (one) => {
        const turned = {
          ...one,
          digestSets: one.digestSets?.toReversed() ?? [],
          tagSets: one.tagSets?.toReversed() ?? [],
          clusterPolicies: one.clusterPolicies?.toReversed() ?? [],
          policies: one.policies?.toReversed() ?? [],
        }
        expect(done(turned)).toEqual(done(one))
      }),
      { numRuns: 150 },
    )
  })
})
