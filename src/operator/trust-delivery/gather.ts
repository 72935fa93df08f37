import type { Clock } from '@machinist/core/clock'
import { mostNamed } from './decide.ts'
import type { TrustDeliveryFacts } from './facts.ts'
import type { TrackedDelivery } from './tracked-delivery.ts'

/** The facts as of the last change. */
export function gather(tracked: TrackedDelivery, clock: Clock): TrustDeliveryFacts {
  tracked.restoreSince()
  const { tally, isConfigured, condition } = tracked
  const items = tally.items()
  return {
    now: clock.now(),
    isConfigured,
    hasDigests: tally.desired !== undefined,
    nodes: tally.size,
    items,
    lacking: items
      .filter(({ behind }) => behind > 0)
      .map(({ item, behind, counts }) => ({
        item,
        behind,
        failed: counts.Failed,
        named: tally.laggards(item, mostNamed),
      })),
    condition,
  }
}
