import type { ObjectKey } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import type { Certificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'

/** Access to the objects that a rotation refers to. */
export interface ObjectLister {
  secret(key: ObjectKey): Readonly<Secret> | undefined
  configMap(key: ObjectKey): Readonly<ConfigMap> | undefined
}

/** The objects behind the facts; writes are based on them. */
export interface RotationObjects {
  readonly signer: Readonly<Secret> | undefined
  readonly bundle: Readonly<ConfigMap> | undefined
  readonly published: readonly (Readonly<ConfigMap> | undefined)[]
  readonly targets: readonly (Readonly<Secret> | undefined)[]
  /** The record of the CAs in the user data of pools. */
  readonly userData?: Readonly<ConfigMap> | undefined
  readonly pairs: { readonly current?: KeyPair; readonly previous?: KeyPair }
  /** By fingerprint. */
  readonly certificates: ReadonlyMap<string, Certificate>
}
