import type { ObjectKey } from '@machinist/core/objects/resource'
import type { CertificateDamage, CertificateLifetime } from '@machinist/pki/renewal'
import { isDamaged } from '@machinist/pki/renewal'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import type { UserDataRecord } from '../../../fleet/rotation/user-data-record.ts'
import type { RotationObjects } from './objects.ts'

/** Everything that a pass depends on. */
export type RotationFacts = InvalidRotationFacts | UnsyncedRotationFacts | ReadyRotationFacts

/** A TrustRotation that is not processed. */
export interface InvalidRotationFacts {
  readonly type: 'invalid'
  readonly object: Readonly<TrustRotation>
  readonly now: number
  readonly problem: RotationProblem
}

/** Why a TrustRotation is not processed until a user acts. */
export interface RotationProblem {
  readonly reason: string
  readonly message: string
}

/** A rotation with an object that the cache has not read yet. */
export interface UnsyncedRotationFacts {
  readonly type: 'unsynced'
  readonly object: Readonly<TrustRotation>
  readonly now: number
  /** `Secret a/b`. */
  readonly what: string
  readonly waitedMs: number
}

/** A rotation whose objects are all known. */
export interface ReadyRotationFacts extends CertificateFacts {
  readonly type: 'ready'
  readonly object: Readonly<TrustRotation>
  readonly found: RotationObjects
}

/** The certificates of a rotation, parsed once per state of an object, and the nodes that trust them. */
export interface CertificateFacts {
  readonly rotation: Rotation
  readonly now: number
  /** Absent objects are undefined. */
  readonly signer: SignerFacts | undefined
  readonly bundle: BundleFacts | undefined
  readonly published: readonly PublishedFacts[]
  /** As the spec lists them. */
  readonly targets: readonly (TargetFacts | undefined)[]
  /** Undefined if the operator has recorded nothing, or if the rotation does not depend on user data. */
  readonly userData?: UserDataRecord | undefined
  /** Undefined if no nodes report. */
  readonly nodes: NodesFacts | undefined
  /** The same for the previous CA; absent if there is none, or if only time decides. */
  readonly previousNodes?: Pick<NodesFacts, 'lacking' | 'settling'> | undefined
}

/** A CA. */
export interface Authority extends CertificateLifetime {
  /** SHA-256 in lower-case hexadecimal digits: the identity of the CA. */
  readonly fingerprint: string
  readonly commonName: string
  /** On one line. */
  readonly subject: string
}

/** The labels and annotations of a managed Secret or ConfigMap. */
export interface CertificateMetadata {
  readonly notAfter?: string | undefined
  readonly notBefore?: string | undefined
  readonly issuer?: string | undefined
  readonly hostnames?: string | undefined
  readonly hasOwner: boolean
  /** The label with the certificate type. */
  readonly type?: string | undefined
}

/** The signer's Secret. */
export interface SignerFacts {
  readonly metadata: CertificateMetadata
  readonly current: Authority | CertificateDamage
  /** Absent: the Secret contains no previous CA that can sign. */
  readonly previous?: Authority
  /** The Secret has data under the keys of the previous CA. */
  readonly keepsPrevious: boolean
  /** The fingerprint of the CA that a user wants to rotate back from. */
  readonly rotateBack?: string | undefined
}

/** A ConfigMap with certificates. */
export interface BundleFacts {
  /** In the order of the file. */
  readonly authorities: readonly Authority[]
  /** Why a part of the bundle cannot be parsed. */
  readonly problem?: string
  /** Fingerprints that the signer recorded as its own, including removed CAs; absent: there is no record. */
  readonly own?: readonly string[]
  /** Whether the text is exactly as the signer would write it. */
  readonly isTidy: boolean
  readonly metadata: CertificateMetadata
}

export interface LeafFacts extends CertificateLifetime {
  readonly serial: string
  /** The CA that signed it, if known. */
  readonly signedBy?: Authority
  /** How the certificate differs from its spec, for users. */
  readonly differs?: string
}

export interface TargetFacts {
  readonly metadata: CertificateMetadata
  readonly leaf: LeafFacts | CertificateDamage
}

export interface PublishedFacts {
  readonly key: ObjectKey
  readonly found?: BundleFacts
  /** The existing ConfigMaps of `with`. */
  readonly inputs: readonly { readonly key: ObjectKey; readonly bundle: BundleFacts }[]
  /** A missing or empty ConfigMap of `with` that another rotation is about to create. */
  readonly awaited?: ObjectKey
}

export interface LaggardFacts {
  readonly name: string
  readonly since: number
  readonly why: string
}

/** What nodes have reported about the current CA. */
export interface NodesFacts {
  readonly total: number
  readonly trusting: number
  readonly excused: number
  /** Nodes without the CA, which the rotation waits for. */
  readonly lacking: number
  readonly settling: number
  /** When the first settling node counts as trusting. */
  readonly settlesAt?: number | undefined
  readonly holdingOld: number
  /** Some of the lacking nodes, the longest lacking first. */
  readonly laggards: readonly LaggardFacts[]
  /** Some of the nodes with a former CA. */
  readonly holders: readonly LaggardFacts[]
}

/** The current CA, if it can sign. */
export function currentIn({ signer }: Pick<CertificateFacts, 'signer'>): Authority | undefined {
  return signer && !isDamaged(signer.current) ? signer.current : undefined
}

/** The previous CA, if it can sign and differs from the current one. */
export function previousIn({ signer }: Pick<CertificateFacts, 'signer'>): Authority | undefined {
  const previous = signer?.previous
  return previous?.fingerprint === currentIn({ signer })?.fingerprint ? undefined : previous
}

/** The leaf certificate of a target, unless it is damaged. */
export function leafIn(target: TargetFacts | undefined): LeafFacts | undefined {
  return target && !isDamaged(target.leaf) ? target.leaf : undefined
}
