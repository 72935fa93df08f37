import type { TrustDeliveryPlan } from './decide.ts'
import type { TrustDeliveryFacts } from './facts.ts'
import type { TrustDeliveryMetrics } from './trust-delivery-metrics.ts'

/** Metrics, before the condition is written, and also while it waits to be written. */
export function announce(
  _plan: TrustDeliveryPlan,
  { items, now }: TrustDeliveryFacts,
  metrics: TrustDeliveryMetrics,
): void {
  metrics.update(items, now)
}
