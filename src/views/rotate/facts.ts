import type { MachineConfigPool, NodeTrust } from '../../api/resources.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import type { Node } from '@machinist/kube/kinds/core'

/** What is known of a rotation and of those who have to follow it. No private key is among it. */
export interface RotationFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly rotation: Readonly<TrustRotation>
  /** Undefined: they may not be read. */
  readonly nodes?: readonly Readonly<Node>[]
  readonly nodeTrusts?: readonly Readonly<NodeTrust>[]
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly delivery: CertificateDelivery
  /** Of the TrustRotation; undefined if they may not be read. */
  readonly events?: readonly Readonly<CoreEvent>[]
  /** Since when the API server has not been heard. */
  readonly unheardSince?: number
}
