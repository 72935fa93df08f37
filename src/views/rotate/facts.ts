import type { CoreEvent } from '@machinist/kube/kinds/events'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfigPool, NodeTrust } from '../../api/kinds/resources.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'

/** A rotation and the nodes that it involves. Contains no private keys. */
export interface RotationFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly rotation: Readonly<TrustRotation>
  /** Undefined without permission to read Nodes. */
  readonly nodes?: readonly Readonly<Node>[]
  readonly nodeTrusts?: readonly Readonly<NodeTrust>[]
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly delivery: CertificateDelivery
  /** Events of the TrustRotation; undefined without permission to read them. */
  readonly events?: readonly Readonly<CoreEvent>[]
  /** Since when there is no connection to the API server. */
  readonly disconnectedSince?: number
}
