import type { Secret } from '@machinist/kube/kinds/core'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { PointerVersion } from './pointer.ts'

/** Everything that determines one pool, which may not exist yet, and its user data. */
export interface PoolsFacts {
  readonly name: string
  readonly pool: Readonly<MachineConfigPool> | undefined
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** Whether the cluster has the Machine API. */
  readonly hasMachineAPI: boolean
  /** Whether the informers of Namespace and Secrets have synced. */
  readonly isUserDataKnown: boolean
  readonly userData: Readonly<Secret> | undefined
  /** The spec version of the pointer Ignition config; the newest by default. */
  readonly pointerVersion?: PointerVersion
}
