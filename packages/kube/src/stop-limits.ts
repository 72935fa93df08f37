/**
 * What a component may take to end after SIGTERM, step by step, while the API server does not answer. A pod has 30 seconds by
 * default; the sum has to stay well below.
 */
export const stopLimits = {
  /** For reconciles under way, before their requests are aborted. */
  workMs: 10_000,
  /** For events that wait. */
  eventsMs: 5000,
  /** For giving the lease back; otherwise it runs out. */
  leaseMs: 5000,
} as const
