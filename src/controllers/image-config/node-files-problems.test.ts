import { describe, expect, it } from 'vitest'
import type { GivenImages } from './image-objects.fixture.ts'
import { nodeFilesOf, idms, itms, key, rule, signed } from './image-objects.fixture.ts'
import type { Problem } from './model/problem.ts'

describe('problems name the object, the field and what to do', () => {
  const registries = 'Image cluster: spec.registrySources'
  it.each<[string, GivenImages, Partial<Problem>[]]>([
    [
      'an empty entry in insecureRegistries',
      { registrySources: { insecureRegistries: ['a.io', ''] } },
      [
        {
          effect: 'leftOut',
          reason: 'BadRegistries',
          message: `${registries}.insecureRegistries[1]: invalid entry "": it is empty; correct or remove it`,
        },
      ],
    ],
    [
      'an empty entry in blockedRegistries',
      { registrySources: { blockedRegistries: [''] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}.blockedRegistries[0]: invalid entry "": it is empty; correct or remove it`,
        },
      ],
    ],
    [
      'an empty entry in allowedRegistries',
      { registrySources: { allowedRegistries: ['', 'release-reg.io'] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}.allowedRegistries[0]: invalid entry "": it is empty; correct or remove it`,
        },
      ],
    ],
    [
      'a path in containerRuntimeSearchRegistries',
      { registrySources: { containerRuntimeSearchRegistries: ['quay.io/team', 'a.io'] } },
      [
        {
          effect: 'leftOut',
          reason: 'BadRegistries',
          message: `${registries}.containerRuntimeSearchRegistries[0]: invalid entry "quay.io/team": it must be host[:port]; correct or remove it`,
        },
      ],
    ],
    [
      'blockedRegistries and allowedRegistries',
      { registrySources: { blockedRegistries: ['b.io'], allowedRegistries: ['a.io'] } },
      [
        {
          effect: 'held',
          reason: 'BadRegistries',
          message: `${registries}: allowedRegistries and blockedRegistries are mutually exclusive; remove one`,
        },
      ],
    ],
    [
      'no release image with blockedRegistries',
      { registrySources: { blockedRegistries: ['b.io'] }, releaseImage: '' },
      [
        {
          effect: 'held',
          reason: 'BadRelease',
          message: `${registries}.blockedRegistries: cannot check whether the release image is blocked: ClusterVersion version does not set status.desired.image; correct the ClusterVersion`,
        },
      ],
    ],
    [
      'no release image without blockedRegistries',
      { registrySources: { insecureRegistries: ['a.io'] }, releaseImage: '' },
      [],
    ],
    [
      'the release image blocked',
      { registrySources: { blockedRegistries: ['b.io', 'release-reg.io'] } },
      [
        {
          effect: 'reported',
          reason: 'PayloadProtected',
          message: `${registries}.blockedRegistries: release-reg.io is not blocked, because nodes pull the release image release-reg.io/image/release from it; remove the entry, or mirror the image to a registry that is not blocked`,
        },
      ],
    ],
    [
      'the release image not in allowedRegistries',
      { registrySources: { allowedRegistries: ['a.io'] } },
      [
        {
          effect: 'reported',
          reason: 'BadRegistries',
          message: `${registries}.allowedRegistries: no entry allows the release image release-reg.io/image/release, so nodes cannot pull it; add it`,
        },
      ],
    ],
    [
      'NeverContactSource for the registry of the release image',
      { tagSets: [itms('t', rule('release-reg.io', ['m.io'], 'NeverContactSource'))] },
      [
        {
          effect: 'held',
          reason: 'PayloadProtected',
          message:
            'a mirror rule with NeverContactSource for source "release-reg.io" leaves nodes no registry to pull the release image release-reg.io/image/release from; add a digest mirror, or set AllowContactingSource',
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
          message: `${registries}.blockedRegistries: "release-reg.io" blocks the release image release-reg.io/image/release, and its entry in registries.conf, "release-reg.io/image/release", has no digest mirror; add a digest mirror, or remove "release-reg.io"`,
        },
      ],
    ],
    [
      'an invalid source',
      { digestSets: [idms('d', rule('a.io', ['m.io']), rule('b.io ', ['m.io']))] },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageDigestMirrorSet d: spec.imageDigestMirrors[1].source: invalid format for source "b.io "; use host[:port][/path] in lower case, without whitespace, or *.domain',
        },
      ],
    ],
    [
      'an invalid mirror',
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
            'ImageContentSourcePolicy c: spec.repositoryDigestMirrors[0].mirrors[1]: invalid format for mirror "*.b.io"; use host[:port][/path] in lower case, without whitespace',
        },
      ],
    ],
    [
      'an invalid mirror for digests and tags',
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
            'ImageContentPolicy c: spec.repositoryDigestMirrors[0].mirrors[0]: invalid format for mirror "*.b.io"; use host[:port][/path] in lower case, without whitespace',
        },
      ],
    ],
    [
      'NeverContactSource with the source as a mirror',
      { tagSets: [itms('t', rule('a.io', ['m.io', 'a.io'], 'NeverContactSource'))] },
      [
        {
          effect: 'leftOut',
          reason: 'BadMirrors',
          message:
            'ImageTagMirrorSet t: spec.imageTagMirrors[0]: mirrorSourcePolicy NeverContactSource conflicts with the source "a.io" in mirrors; remove the source from mirrors',
        },
      ],
    ],
    [
      'a policy for a blocked scope',
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
      'a policy for a scope that is not allowed',
      {
        registrySources: { allowedRegistries: ['release-reg.io'] },
        policies: [signed('p', ['a.io'], key, 'ns')],
      },
      [
        {
          effect: 'leftOut',
          reason: 'BadPolicy',
          message:
            'ImagePolicy ns/p: spec.scopes[0]: a.io is not in allowedRegistries of Image cluster; add it there, or use a narrower scope',
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
          message: 'ClusterImagePolicy p: spec.policy.rootOfTrust.publicKey.keyData: required',
        },
      ],
    ],
  ])('%s', (_, given, problems) => {
    expect(
      nodeFilesOf(given).problems.map(({ effect, reason, message }) => ({
        effect,
        reason,
        message,
      })),
    ).toEqual(problems)
  })

  it('problems reference the causing object', () => {
    const { problems } = nodeFilesOf({
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
