import { describe, expect, it } from 'vitest'
import type { Given } from './cluster-word.fixture.ts'
import { done, idms, itms, key, rule, signed } from './cluster-word.fixture.ts'
import type { Problem } from './problem.ts'

describe('what cannot be done is named, with what to do', () => {
  const registries = 'Image cluster: spec.registrySources'
  it.each<[string, Given, Partial<Problem>[]]>([
    [
      'nothing in insecure',
      { registrySources: { insecureRegistries: ['a.io', ''] } },
      [
        {
          effect: 'leftOut',
          reason: 'BadRegistries',
          message: `${registries}.insecureRegistries[1]: invalid entry "": it is empty; mend or remove it`,
        },
      ],
    ],
    [
      'nothing in blocked',
      { registrySources: { blockedRegistries: [''] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}.blockedRegistries[0]: invalid entry "": it is empty; mend or remove it`,
        },
      ],
    ],
    [
      'nothing in allowed',
      { registrySources: { allowedRegistries: ['', 'release-reg.io'] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}.allowedRegistries[0]: invalid entry "": it is empty; mend or remove it`,
        },
      ],
    ],
    [
      'a path in search',
      { registrySources: { containerRuntimeSearchRegistries: ['quay.io/team', 'a.io'] } },
      [
        {
          effect: 'leftOut',
          reason: 'BadRegistries',
          message: `${registries}.containerRuntimeSearchRegistries[0]: invalid entry "quay.io/team": it has to be host[:port]; mend or remove it`,
        },
      ],
    ],
    [
      'blocked and allowed',
      { registrySources: { blockedRegistries: ['b.io'], allowedRegistries: ['a.io'] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}: only one of allowedRegistries and blockedRegistries may be set; remove one`,
        },
      ],
    ],
    [
      'no release image where something is blocked',
      { registrySources: { blockedRegistries: ['b.io'] }, releaseImage: '' },
      [
        {
          effect: 'held',
          reason: 'BadRelease',
          message: `${registries}.blockedRegistries: whether it blocks the release image cannot be told, as ClusterVersion version does not name one in status.desired.image`,
        },
      ],
    ],
    [
      'no release image where nothing is blocked',
      { registrySources: { insecureRegistries: ['a.io'] }, releaseImage: '' },
      [],
    ],
    [
      'the release image blocked',
      { registrySources: { blockedRegistries: ['b.io', 'release-reg.io'] } },
      [
        {
          effect: 'told',
          reason: 'PayloadProtected',
          message: `${registries}.blockedRegistries: release-reg.io is not blocked, as nodes pull the release image release-reg.io/image/release from it; remove it, or mirror that image to where nothing is blocked`,
        },
      ],
    ],
    [
      'the release image not among what is allowed',
      { registrySources: { allowedRegistries: ['a.io'] } },
      [
        {
          effect: 'told',
          reason: 'BadRegistries',
          message: `${registries}.allowedRegistries: none allows the release image release-reg.io/image/release, so that nodes cannot pull it; add it`,
        },
      ],
    ],
    [
      'a source that nobody can be asked for',
      { tagSets: [itms('t', rule('release-reg.io', ['m.io'], 'NeverContactSource'))] },
      [
        {
          effect: 'held',
          reason: 'PayloadProtected',
          message:
            'a mirror rule with NeverContactSource for source "release-reg.io" would leave nodes no place to pull the release image release-reg.io/image/release from; add a digest mirror for it, or allow to contact the source',
        },
      ],
    ],
    [
      'the release image blocked, and a rule that hides its digest mirrors',
      {
        registrySources: { blockedRegistries: ['release-reg.io'] },
        digestSets: [idms('d', rule('release-reg.io', ['m.io']))],
        tagSets: [itms('t', rule('release-reg.io/image/release', ['t.io/release']))],
      },
      [
        {
          effect: 'held',
          reason: 'PayloadProtected',
          message: `${registries}.blockedRegistries: "release-reg.io" blocks the release image release-reg.io/image/release, and the entry of registries.conf that decides about it, "release-reg.io/image/release", has no mirror for images by digest; add one, or remove "release-reg.io"`,
        },
      ],
    ],
    [
      'a source that is none',
      { digestSets: [idms('d', rule('a.io', ['m.io']), rule('b.io ', ['m.io']))] },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageDigestMirrorSet d: spec.imageDigestMirrors[1].source: invalid format for source "b.io "; write host[:port][/path] in small letters and without blanks, or *.domain',
        },
      ],
    ],
    [
      'a mirror that is none',
      {
        contentSourcePolicies: [
          {
            metadata: { name: 'c' },
            spec: { repositoryDigestMirrors: [rule('a.io', ['m.io', '*.b.io'])] },
          },
        ],
      },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageContentSourcePolicy c: spec.repositoryDigestMirrors[0].mirrors[1]: invalid format for mirror "*.b.io"; write host[:port][/path] in small letters and without blanks',
        },
      ],
    ],
    [
      'a mirror that is none, for tags as well',
      {
        contentPolicies: [
          {
            metadata: { name: 'c' },
            spec: {
              repositoryDigestMirrors: [
                { source: 'a.io', mirrors: ['*.b.io'], allowMirrorByTags: true },
              ],
            },
          },
        ],
      },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageContentPolicy c: spec.repositoryDigestMirrors[0].mirrors[0]: invalid format for mirror "*.b.io"; write host[:port][/path] in small letters and without blanks',
        },
      ],
    ],
    [
      'a source that must not be asked, and is a mirror',
      { tagSets: [itms('t', rule('a.io', ['m.io', 'a.io'], 'NeverContactSource'))] },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageTagMirrorSet t: spec.imageTagMirrors[0]: mirrorSourcePolicy NeverContactSource cannot be if the source "a.io" is one of the mirrors; take it out of them',
        },
      ],
    ],
    [
      'a policy inside of what is blocked',
      {
        registrySources: { blockedRegistries: ['b.io'] },
        clusterPolicies: [signed('p', ['a.io', 'b.io/x'])],
      },
      [
        {
          effect: 'leftOut',
          reason: 'BadPolicy',
          message:
            'ClusterImagePolicy p: spec.scopes[1]: b.io/x is blocked by b.io in blockedRegistries of Image cluster; remove one of them',
        },
      ],
    ],
    [
      'a policy outside of what is allowed',
      {
        registrySources: { allowedRegistries: ['release-reg.io'] },
        policies: [signed('p', ['a.io'], key, 'ns')],
      },
      [
        {
          effect: 'leftOut',
          reason: 'BadPolicy',
          message:
            'ImagePolicy ns/p: spec.scopes[0]: a.io is not inside what allowedRegistries of Image cluster allows; allow it, or choose a smaller scope',
        },
      ],
    ],
    [
      'a policy without a key',
      { clusterPolicies: [signed('p', ['a.io'], '')] },
      [
        {
          effect: 'leftOut',
          reason: 'BadPolicy',
          message: 'ClusterImagePolicy p: spec.policy.rootOfTrust.publicKey.keyData: is missing',
        },
      ],
    ],
  ])('%s', (_, given, problems) => {
    expect(
      done(given).problems.map(({ effect, reason, message }) => ({ effect, reason, message })),
    ).toEqual(problems)
  })

  it('says whose fault it is', () => {
    const { problems } = done({
      registrySources: { insecureRegistries: [''] },
      digestSets: [idms('d', rule('', []))],
      policies: [signed('p', ['a.io'], '', 'ns')],
    })
    expect(problems.map(({ about }) => about)).toEqual([
      { apiVersion: 'config.openshift.io/v1', kind: 'Image', name: 'cluster' },
      { apiVersion: 'config.openshift.io/v1', kind: 'ImageDigestMirrorSet', name: 'd' },
      { apiVersion: 'config.openshift.io/v1', kind: 'ImagePolicy', namespace: 'ns', name: 'p' },
    ])
  })
})
