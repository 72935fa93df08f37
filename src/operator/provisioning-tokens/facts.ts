import type { Secret } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/** Everything that determines the provisioning token of one pool. */
export interface ProvisioningTokenFacts {
  /** The name of the pool. */
  readonly name: string
  /** Undefined if the pool was deleted. */
  readonly pool: Readonly<MachineConfigPool> | undefined
  /** Whether the informer of Secrets has synced. */
  readonly isKnown: boolean
  /** The Secret with the name of the pool's token. */
  readonly secret: Readonly<Secret> | undefined
  readonly now: number
}
