import type { Condition } from '@machinist/core/objects/resource'
import type { TrustItem } from '../../api/trust/items.ts'
import type { ItemTally, Laggard } from './tally.ts'

/** Everything that determines the TrustDelivered condition. */
export interface TrustDeliveryFacts {
  readonly now: number
  /** Whether there is a ControllerConfig. */
  readonly isConfigured: boolean
  /** Whether the ControllerConfig has trust digests. */
  readonly hasDigests: boolean
  /** The number of managed nodes. */
  readonly nodes: number
  readonly items: readonly ItemTally[]
  /** Trust items that some nodes lack. */
  readonly lacking: readonly LackingItem[]
  /** The current condition of the ControllerConfig. */
  readonly condition: Condition | undefined
}

export interface LackingItem {
  readonly item: TrustItem
  readonly behind: number
  readonly failed: number
  /** Some of these nodes, the longest lagging first. */
  readonly named: readonly Laggard[]
}
