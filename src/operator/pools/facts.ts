import type { Secret } from '@machinist/kube/kinds/core'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { PointerVersion } from '../../fleet/provisioning/pointer.ts'

/** Everything that determines one pool, which may not exist yet, and its user data. */
export interface PoolsFacts {
  readonly name: string
  readonly pool: Readonly<MachineConfigPool> | undefined
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** Whether the cluster has the Machine API. */
  readonly hasMachineAPI: boolean
  /** Whether the informers of Namespace and Secrets have synced. */
  readonly isUserDataKnown: boolean
  /** In the namespace of the Machine API, or without it in machinist-provisioning. */
  readonly userData: Readonly<Secret> | undefined
  /** User data in machinist-provisioning, from before the cluster had the Machine API. */
  readonly leftUserData?: Readonly<Secret> | undefined
  /** The current provisioning token; undefined if there is none, or it is not readable. */
  readonly token: string | undefined
  /** The spec version of the pointer Ignition config; the newest by default. */
  readonly pointerVersion?: PointerVersion
}
