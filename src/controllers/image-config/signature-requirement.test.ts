import { describe, expect, it } from 'vitest'
import type { ImagePolicySpec } from '../../api/openshift-config.ts'
import { signatureRequirement } from './signature-requirement.ts'

type Policy = NonNullable<ImagePolicySpec['policy']>
const key = 'dGVzdC1rZXktZGF0YQ=='
const byKey: Policy = { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData: key } } }

describe('what a policy asks', () => {
  it('comes as the fields stand in the file', () => {
    expect(Object.entries(signatureRequirement(byKey))).toEqual([
      ['type', 'sigstoreSigned'],
      ['keyData', key],
      ['signedIdentity', { type: 'matchRepoDigestOrExact' }],
    ])
  })

  it('is written in one line, however the key was packed', () => {
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
      'spec.policy.rootOfTrust.policyType: "" is none of PublicKey, FulcioCAWithRekor, PKI',
    ],
    [
      'another root',
      rooted({ policyType: 'constructor' }),
      'spec.policy.rootOfTrust.policyType: "constructor" is none of PublicKey, FulcioCAWithRekor, PKI',
    ],
    [
      'no key',
      rooted({ policyType: 'PublicKey' }),
      'spec.policy.rootOfTrust.publicKey.keyData: is missing',
    ],
    [
      'a key that is none',
      rooted({ policyType: 'PublicKey', publicKey: { keyData: 'a?b' } }),
      'spec.policy.rootOfTrust.publicKey.keyData: is not base64',
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
      'spec.policy.rootOfTrust.fulcioCAWithRekor.rekorKeyData: is missing',
    ],
    [
      'nobody',
      rooted({
        policyType: 'FulcioCAWithRekor',
        fulcioCAWithRekor: { fulcioCAData: key, rekorKeyData: key },
      }),
      'spec.policy.rootOfTrust.fulcioCAWithRekor.fulcioSubject.oidcIssuer: is missing',
    ],
    [
      'no subject',
      rooted({ policyType: 'PKI', pki: { caRootsData: key } }),
      'spec.policy.rootOfTrust.pki.pkiCertificateSubject: email or hostname is missing',
    ],
    [
      'no roots',
      rooted({ policyType: 'PKI', pki: { pkiCertificateSubject: { email: 'a' } } }),
      'spec.policy.rootOfTrust.pki.caRootsData: is missing',
    ],
    [
      'an unknown identity',
      identified({ matchPolicy: 'Whatever' }),
      'spec.policy.signedIdentity.matchPolicy: unknown signedIdentity match policy "Whatever"',
    ],
    [
      'no identity',
      identified({}),
      'spec.policy.signedIdentity.matchPolicy: unknown signedIdentity match policy ""',
    ],
    [
      'no repository',
      identified({ matchPolicy: 'ExactRepository' }),
      'spec.policy.signedIdentity.exactRepository.repository: is missing',
    ],
    [
      'a prefix that is none',
      identified({
        matchPolicy: 'RemapIdentity',
        remapIdentity: { prefix: 'a b', signedPrefix: 'c' },
      }),
      'spec.policy.signedIdentity.remapIdentity.prefix: "a b" is not of the form host[:port][/path]',
    ],
  ])('cannot be done for %s', (_, policy, message) => {
    expect(() => signatureRequirement(policy)).toThrow(message)
  })
})
