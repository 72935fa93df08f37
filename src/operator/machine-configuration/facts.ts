import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'

/** Everything that determines the MachineConfiguration. */
export interface MachineConfigurationFacts {
  /** Undefined if it does not exist yet. */
  readonly found: Readonly<MachineConfiguration> | undefined
  readonly delivery: CertificateDelivery
  /** The time of transitions. */
  readonly now: string
}
