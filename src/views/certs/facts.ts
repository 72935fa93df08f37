import type { Node } from '@machinist/kube/kinds/core'
import type {
  ControllerConfig,
  MachineConfigPool,
  NodeTrust,
  TrustRotation,
} from '../../api/kinds/resources.ts'

/** All readable objects about certificates. Contains no private keys: Secrets are read as metadata. */
export interface CertsFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly secrets: readonly CertificateSecret[]
  readonly bundles: readonly BundleFacts[]
  readonly controllerConfig?: Readonly<ControllerConfig>
  /** Undefined if they could not be read. */
  readonly nodeTrusts?: readonly NodeTrust[]
  readonly nodes?: readonly Node[]
  readonly pools: readonly MachineConfigPool[]
  /** Empty if Machinist rotates no CA in this cluster. */
  readonly rotations?: readonly TrustRotation[]
  /** Objects that could not be read, with the reason. */
  readonly unread: readonly string[]
}

/** A Secret with a certificate and its key, described by its annotations. */
export interface CertificateSecret {
  readonly object: string
  readonly type: 'signer' | 'target'
  /** Common name of the CA that signed it. A signer is self-signed. */
  readonly issuer?: string
  readonly notBefore?: number
  readonly notAfter?: number
  /** How long after notBefore it is replaced, if it is annotated. */
  readonly refreshMs?: number
}

/** An object with trusted certificates. */
export interface BundleFacts {
  /** The purpose of the bundle: an item of the trust lane, or one of `otherTrust`. */
  readonly of: string
  readonly object: string
  readonly certificates: readonly CertificateFacts[]
  /** Number of blocks that cannot be parsed. */
  readonly broken: number
}

export interface CertificateFacts {
  readonly fingerprint: string
  readonly commonName: string
  readonly notBefore: number
  readonly notAfter: number
}

/** Bundles outside the trust lane. */
export const otherTrust = {
  configServer: 'config-server-ca',
  user: 'user-ca',
  other: 'other',
} as const
