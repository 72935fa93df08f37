import type { ObjectKey } from '@machinist/core/resource'
import type { Damage, Lifetime } from '@machinist/pki/renewal'
import { isDamaged } from '@machinist/pki/renewal'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'

/* What a pass goes by: certificates as facts, read once and never parsed again. */

/** A CA. */
export interface Authority extends Lifetime {
  /** SHA-256, in lower-case hexadecimal digits: what makes it this one and no other. */
  readonly fingerprint: string
  readonly commonName: string
  /** On one line. */
  readonly subject: string
}

/** What an object of ours carries beside its content. */
export interface Dress {
  readonly notAfter?: string | undefined
  readonly notBefore?: string | undefined
  readonly issuer?: string | undefined
  readonly hostnames?: string | undefined
  readonly hasOwner: boolean
  /** The label that tells what it is. */
  readonly type?: string | undefined
}

/** The signer's Secret. */
export interface SignerFacts {
  readonly dress: Dress
  readonly current: Authority | Damage
  /** Absent: there is none that could sign. */
  readonly previous?: Authority
  /** Something is kept under the keys of the previous one. */
  readonly keepsPrevious: boolean
  /** The CA that a person wants to be gone again. */
  readonly rotateBack?: string | undefined
}

/** A ConfigMap with certificates. */
export interface BundleFacts {
  /** In the order in which they stand there. */
  readonly authorities: readonly Authority[]
  /** What is in it that cannot be read. */
  readonly problem?: string
  /** Fingerprints that the signer recorded as its own, also of CAs that are there no longer; absent: there is no record. */
  readonly own?: readonly string[]
  /** Whether its text is as we would write it. */
  readonly isTidy: boolean
  readonly dress: Dress
}

export interface LeafFacts extends Lifetime {
  readonly serial: string
  /** The CA that signed it, as far as it is known. */
  readonly signedBy?: Authority
  /** What it says otherwise than its spec wants, for people. */
  readonly differs?: string
}

export interface TargetFacts {
  readonly dress: Dress
  readonly leaf: LeafFacts | Damage
}

export interface PublishedFacts {
  readonly key: ObjectKey
  readonly found?: BundleFacts
  /** Those of `with` that are there. */
  readonly inputs: readonly { readonly key: ObjectKey; readonly bundle: BundleFacts }[]
  /** One of `with` that is not there, or empty, and that another rotation is about to make. */
  readonly awaited?: ObjectKey
}

export interface LaggardFacts {
  readonly name: string
  readonly since: number
  readonly why: string
}

/** What nodes have told about the current CA. */
export interface NodesFacts {
  readonly total: number
  readonly trusting: number
  readonly excused: number
  /** Those that are waited for: they do not have it, or have not loaded it yet. */
  readonly lacking: number
  readonly settling: number
  /** When the first of those counts. */
  readonly settlesAt?: number | undefined
  readonly holdingOld: number
  /** Some of those that lack it, the longest first. */
  readonly laggards: readonly LaggardFacts[]
  /** Some of those that hold a former CA. */
  readonly holders: readonly LaggardFacts[]
}

export interface RotationFacts {
  readonly rotation: Rotation
  readonly now: number
  /** Absent objects are undefined. */
  readonly signer: SignerFacts | undefined
  readonly bundle: BundleFacts | undefined
  readonly published: readonly PublishedFacts[]
  /** As the spec lists them. */
  readonly targets: readonly (TargetFacts | undefined)[]
  /** Undefined where time alone decides. */
  readonly nodes: NodesFacts | undefined
  /** The same about the previous CA; absent where there is none, or time alone decides. */
  readonly previousNodes?: Pick<NodesFacts, 'lacking' | 'settling'> | undefined
}

/** The CA that signs now, if it can. */
export function currentIn({ signer }: Pick<RotationFacts, 'signer'>): Authority | undefined {
  return signer && !isDamaged(signer.current) ? signer.current : undefined
}

/** The CA before it, if that can sign, too, and is another one. */
export function previousIn({ signer }: Pick<RotationFacts, 'signer'>): Authority | undefined {
  const previous = signer?.previous
  return previous?.fingerprint === currentIn({ signer })?.fingerprint ? undefined : previous
}

/** The certificate that is in use, if it can be. */
export function leafIn(target: TargetFacts | undefined): LeafFacts | undefined {
  return target && !isDamaged(target.leaf) ? target.leaf : undefined
}
