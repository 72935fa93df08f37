import { describe, expect, it } from 'vitest'
import type { ImagePolicySpec } from '../../../api/openshift-config.ts'
import { signatureRequirement } from './signature-requirement.ts'

type Policy = NonNullable<ImagePolicySpec['policy']>
const key = 'dGVzdC1rZXktZGF0YQ=='
const byKey: Policy = { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData: key } } }

describe('the requirement of a policy', () => {
  it('has its fields in the order of the file', () => {
    expect(Object.entries(signatureRequirement(byKey))).toEqual([
      ['type', 'sigstoreSigned'],
      ['keyData', key],
      ['signedIdentity', { type: 'matchRepoDigestOrExact' }],
    ])
  })

  it('has the key on one line', () => {
    const keyData = `${key.slice(0, 8)}\n${key.slice(8)}\r\n`
    const policy = { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData } } }
    expect(signatureRequirement(policy)).toMatchObject({ keyData: key })
  })

  const identified = (signedIdentity: Policy['signedIdentity']): Policy => ({
    ...byKey,
    signedIdentity: signedIdentity!,
  })
  const rooted = (rootOfTrust: Policy['rootOfTrust']): Policy => ({ rootOfTrust: rootOfTrust! })
  it.each<[string, Policy | undefined, string]>([
    [
      'nothing',
      undefined,
      'spec.policy.rootOfTrust.policyType: "" is not supported; use one of PublicKey, FulcioCAWithRekor, PKI',
    ],
    [
      'another root',
      rooted({ policyType: 'constructor' }),
      'spec.policy.rootOfTrust.policyType: "constructor" is not supported; use one of PublicKey, FulcioCAWithRekor, PKI',
    ],
    [
      'no key',
      rooted({ policyType: 'PublicKey' }),
      'spec.policy.rootOfTrust.publicKey.keyData: required',
    ],
    [
      'an invalid key',
      rooted({ policyType: 'PublicKey', publicKey: { keyData: 'a?b' } }),
      'spec.policy.rootOfTrust.publicKey.keyData: invalid base64',
    ],
    [
      'no transparency log',
      rooted({
        policyType: 'FulcioCAWithRekor',
        fulcioCAWithRekor: {
          fulcioCAData: key,
          fulcioSubject: { oidcIssuer: 'a', signedEmail: 'b' },
        },
      }),
      'spec.policy.rootOfTrust.fulcioCAWithRekor.rekorKeyData: required',
    ],
    [
      'no issuer',
      rooted({
        policyType: 'FulcioCAWithRekor',
        fulcioCAWithRekor: { fulcioCAData: key, rekorKeyData: key },
      }),
      'spec.policy.rootOfTrust.fulcioCAWithRekor.fulcioSubject.oidcIssuer: required',
    ],
    [
      'no subject',
      rooted({ policyType: 'PKI', pki: { caRootsData: key } }),
      'spec.policy.rootOfTrust.pki.pkiCertificateSubject: email or hostname is required',
    ],
    [
      'no roots',
      rooted({ policyType: 'PKI', pki: { pkiCertificateSubject: { email: 'a' } } }),
      'spec.policy.rootOfTrust.pki.caRootsData: required',
    ],
    [
      'an unknown identity',
      identified({ matchPolicy: 'Whatever' }),
      'spec.policy.signedIdentity.matchPolicy: "Whatever" is not supported; use one of MatchRepoDigestOrExact, MatchRepository, ExactRepository, RemapIdentity',
    ],
    [
      'no identity',
      identified({}),
      'spec.policy.signedIdentity.matchPolicy: "" is not supported; use one of MatchRepoDigestOrExact, MatchRepository, ExactRepository, RemapIdentity',
    ],
    [
      'no repository',
      identified({ matchPolicy: 'ExactRepository' }),
      'spec.policy.signedIdentity.exactRepository.repository: required',
    ],
    [
      'an invalid prefix',
      identified({
        matchPolicy: 'RemapIdentity',
        remapIdentity: { prefix: 'a b', signedPrefix: 'c' },
      }),
      'spec.policy.signedIdentity.remapIdentity.prefix: invalid value "a b"; use host[:port][/path]',
    ],
  ])('is rejected for %s', (_, policy, message) => {
    expect(() => signatureRequirement(policy)).toThrow(message)
  })
})
