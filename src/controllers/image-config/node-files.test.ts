import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRegistries } from '../../planner/actions/registries.ts'
import type { GivenImages } from './image-objects.fixture.ts'
import {
  imageObjects,
  nodeFilesOf,
  idms,
  itms,
  key,
  releaseImage,
  rule,
  signed,
} from './image-objects.fixture.ts'
import { cutOffBy } from './registries/payload.ts'
import { readPolicy } from './signatures/policy-json.ts'
import { isNested } from './model/scopes.ts'
import { readImageSettings } from './node-files.ts'

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
  it('configures mirrors by digest, and by tag with allowMirrorByTags', () => {
    const repositoryDigestMirrors = [
      { source: 'a.io', mirrors: ['m.io'] },
      { source: 'b.io', mirrors: ['m.io'], allowMirrorByTags: true },
    ]
    const policy = { metadata: { name: 'c' }, spec: { repositoryDigestMirrors } }
    const { files, problems } = nodeFilesOf({ contentPolicies: [policy] })
    const { byScope } = readRegistries(files[conf] ?? '')
    const pulls = (scope: string): string[] | undefined =>
      byScope.get(scope)?.mirrors.map(({ location, pull }) => `${location} ${pull}`)
    expect(problems).toEqual([])
    expect(pulls('a.io')).toEqual(['m.io digest-only'])
    expect(pulls('b.io')).toEqual(['m.io digest-only', 'm.io tag-only'])
  })
})

describe('an invalid object does not block others', () => {
  it('a rule', () => {
    const digestSets = [
      idms('good', rule('a.io', ['m.io/a'])),
      idms('mixed', rule('b.io', ['m.io/b']), rule('c.io', ['m.io/c '])),
    ]
    expect(mirrorsIn(nodeFilesOf({ digestSets }).files[conf])).toEqual({
      'a.io': ['m.io/a'],
      'b.io': ['m.io/b'],
    })
  })

  it('nodes keep the mirrors of an invalid rule, and others change', () => {
    const before = nodeFilesOf({
      digestSets: [
        idms('one', rule('a.io', ['m1.io']), rule('b.io', ['m2.io'], 'NeverContactSource')),
        idms('two', rule('c.io', ['m3.io'])),
      ],
    })
    const after = nodeFilesOf(
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
    // The result is stable.
    const again = nodeFilesOf(
      {
        digestSets: [
          idms('one', rule('a.io', ['m1.io ']), rule('b.io ', ['m2.io'])),
          idms('two', rule('c.io', ['m4.io'])),
        ],
      },
      after.files,
    )
    expect(again.files).toEqual(after.files)
    const repaired = nodeFilesOf(
      { digestSets: [idms('two', rule('c.io', ['m4.io']))] },
      after.files,
    )
    expect(mirrorsIn(repaired.files[conf])).toEqual({ 'c.io': ['m4.io'] })
  })

  it('a rule without mirrors has no effect', () => {
    const digestSets = [idms('a', rule('a.io', []), rule('a.io', ['m.io']))]
    const { files, problems } = nodeFilesOf({ digestSets })
    expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m.io'] })
    expect(problems).toEqual([])
  })

  it.each([
    ['older', [rule('a.io', [], 'NeverContactSource'), rule('a.io', ['m.io'])], 0, 1],
    ['younger', [rule('a.io', ['m.io']), rule('a.io', [], 'NeverContactSource')], 1, 0],
  ])('a rule without mirrors that contradicts another one: the %s', (_, rules, at, other) => {
    const { files, problems } = nodeFilesOf({ digestSets: [idms('a', ...rules)] })
    expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m.io'] })
    expect(problems).toMatchObject([
      {
        reason: 'BadMirrors',
        effect: 'leftOut',
        message: `ImageDigestMirrorSet a: spec.imageDigestMirrors[${at}].mirrorSourcePolicy: the policy for source "a.io" conflicts with spec.imageDigestMirrors[${other}] of ImageDigestMirrorSet a; this rule has no mirrors and no effect: remove it, or set the same policy in both`,
      },
    ])
  })

  it('the older of two conflicting rules wins', () => {
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
      const { files, problems } = nodeFilesOf({ digestSets })
      expect(mirrorsIn(files[conf])).toEqual({ 'a.io': ['m2.io'] })
      expect(problems.map(({ message }) => message)).toEqual([
        'ImageDigestMirrorSet a: spec.imageDigestMirrors[0].mirrorSourcePolicy: the policy for source "a.io" conflicts with spec.imageDigestMirrors[0] of ImageDigestMirrorSet b, which is older and wins; set the same policy in both',
      ])
    }
  })

  it('nodes keep requiring the signatures of an invalid policy', () => {
    const before = nodeFilesOf({
      clusterPolicies: [signed('c', ['a.io']), signed('d', ['b.io'])],
      policies: [signed('p', ['x.io'], key, 'one'), signed('p', ['y.io'], key, 'two')],
    })
    const after = nodeFilesOf(
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
    // This namespace has no policy any more, valid or not.
    expect(after.files).not.toHaveProperty(['/etc/crio/policies/two.json'])
    expect(after.files['/etc/containers/registries.d/sigstore-registries.yaml']).toContain(
      '  x.io:\n',
    )
  })

  it('a policy whose scope ends with a slash', () => {
    const { files } = nodeFilesOf({ clusterPolicies: [signed('c', ['a.io/'])] })
    expect(scopesIn(files[policyFile])).toEqual(['a.io: sigstoreSigned'])
  })

  it('an ImagePolicy does not overrule an invalid ClusterImagePolicy', () => {
    const settings = readImageSettings(
      imageObjects({
        clusterPolicies: [signed('c', ['a.io'], '')],
        policies: [signed('p', ['a.io/x', 'b.io'], key, 'ns')],
      }),
    )
    expect(settings.signatures.overruled.map(({ scopes }) => scopes)).toEqual([['a.io/x']])
    expect([...settings.signatures.namespaces.get('ns')!.keys()]).toEqual(['b.io'])
  })
})

it('an entry inside a wildcard source inherits its mirrors, unless it has another port', () => {
  const insecureRegistries = ['x.a.io/ns', '*.y.a.io', 'x.a.io:443/ns']
  const digestSets = [idms('d', rule('*.a.io', ['m.io/p']))]
  expect(
    mirrorsIn(nodeFilesOf({ registrySources: { insecureRegistries }, digestSets }).files[conf]),
  ).toEqual({
    '*.a.io': ['m.io/p'],
    'x.a.io/ns': ['m.io/p/ns'],
    '*.y.a.io': ['m.io/p'],
    'x.a.io:443/ns': [],
  })
})

it('outside OpenShift, any registry can be blocked', () => {
  const registrySources = { blockedRegistries: ['release-reg.io'] }
  const { files, problems } = nodeFilesOf({ registrySources, releaseImage: undefined })
  expect(problems).toEqual([])
  expect(mirrorsIn(files[conf])).toEqual({ 'release-reg.io': ['blocked'] })
  expect(scopesIn(files[policyFile])).toEqual(['release-reg.io: reject'])
})

describe('any settings', () => {
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
  const given: fc.Arbitrary<GivenImages> = fc.record({
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

  it('result in valid files without duplicates that do not cut off the release image', () => {
    fc.assert(
      fc.property(given, given, (first, second) => {
        const before = nodeFilesOf(first)
        const { files, problems } = nodeFilesOf(second, before.files)
        // It throws for duplicates.
        const registries = [...readRegistries(files[conf] ?? '').byScope.values()]
        for (const { mirrors } of registries) {
          const places = mirrors.map(({ location, pull }) => `${location} ${pull}`)
          expect(new Set(places).size).toBe(places.length)
        }
        for (const [path, text] of Object.entries(files))
          if (path.endsWith('.json')) readPolicy(text)
        const isHeld = problems.some(({ effect }) => effect === 'held')
        const { payload, blocked } = readImageSettings(imageObjects(second)).lists
        if (!payload || isHeld) return
        expect(cutOffBy(payload, registries)).toBeUndefined()
        const covered = blocked.filter((one) => isNested(payload.repository, one))
        const hasMirrors = registries.some(({ mirrors }) => mirrors.length > 0)
        expect(covered.length > 0 && !hasMirrors).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('result in the same files for any order of objects', () => {
    fc.assert(
      fc.property(given, (one) => {
        const turned = {
          ...one,
          digestSets: one.digestSets?.toReversed() ?? [],
          tagSets: one.tagSets?.toReversed() ?? [],
          clusterPolicies: one.clusterPolicies?.toReversed() ?? [],
          policies: one.policies?.toReversed() ?? [],
        }
        expect(nodeFilesOf(turned)).toEqual(nodeFilesOf(one))
      }),
      { numRuns: 150 },
    )
  })
})
