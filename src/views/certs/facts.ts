import type {
  ControllerConfig,
  MachineConfigPool,
  NodeTrust,
  TrustRotation,
} from '../../api/resources.ts'
import type { Node } from '@machinist/kube/kinds/core'

/** Everything that could be read of a cluster, and what could not. No private key is among it: Secrets are read as metadata. */
export interface CertsFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly secrets: readonly CertificateSecret[]
  readonly bundles: readonly BundleFacts[]
  readonly controllerConfig?: Readonly<ControllerConfig>
  /** Undefined: they could not be read. */
  readonly nodeTrusts?: readonly NodeTrust[]
  readonly nodes?: readonly Node[]
  readonly pools: readonly MachineConfigPool[]
  /** None where Machinist rotates nothing. */
  readonly rotations?: readonly TrustRotation[]
  readonly unread: readonly string[]
}

/** A certificate and its key, as the annotations of their Secret tell about them. */
export interface CertificateSecret {
  readonly object: string
  readonly type: 'signer' | 'target'
  /** Who signed it; a signer signs itself. */
  readonly issuer?: string
  readonly notBefore?: number
  readonly notAfter?: number
  /** How long after its beginning it is to be replaced, if it says so. */
  readonly refreshMs?: number
}

/** An object with certificates that others trust. */
export interface BundleFacts {
  /** Which part of the cluster trusts it: an item of the trust lane, or one of `otherTrust`. */
  readonly of: string
  readonly object: string
  readonly certificates: readonly CertificateFacts[]
  /** Blocks that cannot be read. */
  readonly broken: number
}

export interface CertificateFacts {
  readonly fingerprint: string
  readonly commonName: string
  readonly notBefore: number
  readonly notAfter: number
}

/** What is trusted, but not by way of the trust lane. */
export const otherTrust = {
  configServer: 'config-server-ca',
  user: 'user-ca',
  other: 'other',
} as const
