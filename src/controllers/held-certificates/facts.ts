import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'

/** Everything that determines which certificates a pool holds back. */
export interface HeldCertificatesFacts {
  readonly pool: Readonly<MachineConfigPool>
  readonly delivery: CertificateDelivery
  /** The current and the desired rendered config; undefined if they are not known. */
  readonly current: Readonly<MachineConfig> | undefined
  readonly desired: Readonly<MachineConfig> | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}
