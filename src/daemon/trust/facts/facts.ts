import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { ObservedConfig } from '../desired/followed-config.ts'
import type { ObservedItem } from '../items/item.ts'

/** Everything that a decision of the trust lane reads. */
export interface TrustFacts {
  /** The metadata of the ControllerConfig. */
  readonly config: ObservedConfig
  /** The trust that it specifies for this node. */
  readonly desired: DesiredTrust
  readonly items: readonly ItemFacts[]
  /** How the previous pass of this reconcile ended; absent in the first one. */
  readonly previous?: TrustResult
  /** The trust that the payload of the previous pass specifies, if it fetched one. */
  readonly fetched?: DesiredTrust
}

export interface ItemFacts {
  readonly item: TrustItem
  /** The content on disk, or why it cannot be read. */
  readonly observed: ObservedItem | UnreadableItem
  /** The disk contains something that the lane wrote or adopted, and that it can remove. */
  readonly isRemovable: boolean
  /** Whether a write needs the whole ControllerConfig. */
  readonly needsPayload: boolean
  /** Time to wait before the item is written or removed: nodes spread their reads of a change. */
  readonly waitMs: number
  /** The failure of the last attempt, if it did not succeed completely. */
  readonly failure?: ItemFailure
}

export interface UnreadableItem {
  readonly problem: string
}

export interface ItemFailure {
  /** The digest that the attempt was for; absent: it was a removal. */
  readonly desired?: string
  readonly message: string
  /** It is too early for a retry. */
  readonly isBackingOff: boolean
  /** Why holdings failed, by name, if not the whole item failed. */
  readonly holdings?: ReadonlyMap<string, string>
}

/** How a pass ended. */
export type TrustResult =
  /** The whole ControllerConfig was read. */
  | { readonly type: 'fetched'; readonly payload: ControllerConfig }
  /** The ControllerConfig could not be read. */
  | { readonly type: 'unreachable' }
  /** These items were written or removed, as far as that succeeded. */
  | { readonly type: 'applied'; readonly items: ReadonlySet<TrustItem> }
  /** Items that another writer reverted already back off. */
  | { readonly type: 'backingOff' }
  | { readonly type: 'waiting' | 'settled' | 'stopped' }
