import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { UnreadableItem } from '../facts/facts.ts'
import type { ItemHandler, ObservedItem } from '../items/item.ts'
import { ItemFailures } from './item-failures.ts'
import { ReadDelay } from './read-delay.ts'

/** State between two passes. It is only in memory: losing it is harmless. */
export class TrustMemory {
  readonly failures: ItemFailures
  readonly delay: ReadDelay
  readonly observed = new Map<TrustItem, ObservedItem | UnreadableItem>()
  /** Items to observe again. The last observation counts until then. */
  readonly outdated = new Set<TrustItem>()
  #unreported: string[] = []

  /** Nodes spread their reads of a change over `spreadMs`. */
  constructor(clock: Clock, random: Random, spreadMs: number) {
    this.failures = new ItemFailures(clock, random)
    this.delay = new ReadDelay(clock, random, spreadMs)
  }

  /** The state of the item may have changed. */
  invalidate(item: TrustItem): void {
    this.outdated.add(item)
    this.failures.reconsider(item)
  }

  /** Files at these paths changed; `any` if the paths are unknown. */
  invalidateAt(paths: readonly string[] | 'any', handlers: readonly ItemHandler[]): void {
    for (const handler of handlers) {
      const isAffected = paths === 'any' || handler.watched().some((path) => paths.includes(path))
      if (isAffected) this.invalidate(handler.item)
    }
  }

  /** Holdings were written or removed. */
  addWritten(holdings: readonly string[]): void {
    this.#unreported.push(...holdings)
  }

  /** Returns the holdings that were written or removed since the last call. */
  takeWritten(): readonly string[] {
    const written = this.#unreported
    this.#unreported = []
    return written
  }
}
