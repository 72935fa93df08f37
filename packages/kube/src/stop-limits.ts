/**
 * How long each step of a shutdown may take after SIGTERM while the API server does not respond. The default grace period of
 * a pod is 30 seconds; the sum of the limits must stay well below it.
 */
export const stopLimits = {
  /** For running reconciles, before their requests are aborted. */
  workMs: 10_000,
  /** For queued events. */
  eventsMs: 5000,
  /** For the release of the lease. A lease that is not released expires. */
  leaseMs: 5000,
} as const
