import { timestamp } from '@machinist/core/timestamp'
import { isDamaged } from '@machinist/pki/renewal'
import type { TrustRotationSpec } from '../../../api/kinds/trust-rotation.ts'
import type {
  Authority,
  BundleFacts,
  CertificateMetadata,
  NodesFacts,
  CertificateFacts,
  SignerFacts,
  TargetFacts,
} from '../facts/facts.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import { readRotation } from '../../../fleet/rotation/rotation-spec.ts'

/* Facts for decide, without real certificates. */

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
export const start = Date.parse('2026-01-01T00:00:00Z')

export const spec: TrustRotationSpec = {
  signer: { namespace: 'keys', name: 'signer' },
  bundle: { namespace: 'keys', name: 'ca' },
  publishedIn: [
    { namespace: 'keys', name: 'client-ca', with: [{ namespace: 'keys', name: 'other' }] },
  ],
  targets: [
    { namespace: 'keys', name: 'one', usage: 'client', commonName: 'one' },
    { namespace: 'keys', name: 'two', usage: 'server', commonName: 'two', hostnames: ['two'] },
  ],
  trustedBy: 'kubelet-client-ca',
}

export const rotationOf = (given: TrustRotationSpec = spec): Rotation =>
  readRotation({ metadata: { name: 'kubelet' }, spec: given })

/** A CA; a number as its name makes it one of the signer. */
export function authority(name: string, notBefore = start, life = 365 * day): Authority {
  const commonName = /^\d+$/.test(name) ? `keys_signer@${name}` : name
  return {
    fingerprint: `fingerprint of ${name}`,
    commonName,
    subject: `CN=${commonName}`,
    notBefore,
    notAfter: notBefore + life,
  }
}

export function metadataFor(
  type: string,
  life?: Pick<Authority, 'notBefore' | 'notAfter'>,
): CertificateMetadata {
  return {
    type,
    hasOwner: true,
    ...(life && {
      notBefore: timestamp(life.notBefore),
      notAfter: timestamp(life.notAfter),
      issuer: 'issuer',
    }),
  }
}

export function signer(current: Authority, previous?: Authority): SignerFacts {
  const keepsPrevious = previous !== undefined
  return {
    metadata: metadataFor('signer', current),
    current,
    keepsPrevious,
    ...(previous && { previous }),
  }
}

/** A bundle with a record of the signer's own CAs. */
export const bundle = (...authorities: readonly Authority[]): BundleFacts => ({
  authorities,
  own: authorities.flatMap(({ fingerprint, commonName }) =>
    /^(keys_signer@\d+|signer)$/.test(commonName) ? [fingerprint] : [],
  ),
  isTidy: true,
  metadata: metadataFor('ca-bundle'),
})

export function target(
  signedBy: Authority | undefined,
  { notBefore = start, life = 30 * day, hostnames = '' } = {},
): TargetFacts {
  const leaf = { notBefore, notAfter: notBefore + life, serial: '01' }
  return {
    metadata: { ...metadataFor('target', leaf), ...(hostnames && { hostnames }) },
    leaf: { ...leaf, ...(signedBy && { signedBy }) },
  }
}

/** All nodes trust the current CA. */
export const trusting = (total: number): NodesFacts => ({
  total,
  trusting: total,
  excused: 0,
  lacking: 0,
  settling: 0,
  holdingOld: 0,
  laggards: [],
  holders: [],
})

export const lacking = (total: number, lags: number): NodesFacts => ({
  ...trusting(total),
  trusting: total - lags,
  lacking: lags,
  laggards: [{ name: 'b', since: start, why: 'NotReady' }],
})

/** A settled cluster with one CA. */
export function atRest(changes: Partial<CertificateFacts> = {}): CertificateFacts {
  const ca = authority('1')
  return {
    rotation: rotationOf(),
    now: start + day,
    signer: signer(ca),
    bundle: bundle(ca),
    published: [{ key: { namespace: 'keys', name: 'client-ca' }, found: bundle(ca), inputs: [] }],
    targets: [target(ca), target(ca, { hostnames: 'two' })],
    nodes: trusting(3),
    ...changes,
  }
}

/** The published bundle. */
export const publishedAs = (
  ...authorities: readonly Authority[]
): CertificateFacts['published'] => [
  { key: { namespace: 'keys', name: 'client-ca' }, found: bundle(...authorities), inputs: [] },
]

export const leafOf = (
  given: TargetFacts | undefined,
): Exclude<TargetFacts['leaf'], { problem: string }> | undefined =>
  given && !isDamaged(given.leaf) ? given.leaf : undefined
