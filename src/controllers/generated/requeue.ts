/** Requeue interval for causes that no watch event announces: a rejected write, a kind that is no longer served. */
export const requeueAfterMs = 60_000
