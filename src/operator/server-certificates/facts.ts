import type { ConfigMap } from '@machinist/kube/kinds/core'
import type { TrustRotation } from '../../api/kinds/resources.ts'

/** Everything that determines the certificates of the machine config server. */
export interface ServerCertificatesFacts {
  readonly now: number
  /** Names and addresses of the server; empty if they are unknown. */
  readonly hostnames: readonly string[]
  /** TrustRotations that manage a certificate or bundle of the server; one at most is that of the operator. */
  readonly rotations: readonly Readonly<TrustRotation>[]
  /** Whether the serving certificate exists; `unmanaged` if the signer did not write it. Only known if there is no rotation. */
  readonly certificate: 'absent' | 'managed' | 'unmanaged' | undefined
  /** The CA bundle in the user data of today, in PEM; undefined if there is none. */
  readonly caBundle: string | undefined
  /** Fingerprints of the CAs in the user data of each pool that has user data; undefined while it is unknown. */
  readonly userData: ReadonlyMap<string, readonly string[]> | undefined
  /** The record of these CAs for the signer; undefined if it does not exist. */
  readonly record: Readonly<ConfigMap> | undefined
  /** Whether the record is known to exist or not. */
  readonly isRecordKnown: boolean
}
