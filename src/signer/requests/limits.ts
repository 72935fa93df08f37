const minute = 60_000

/** Older requests are not approved: the kubelet has sent a new one since, perhaps by another clock. */
export const maxAgeMs = 60 * minute

/** How far the API server's clock may be ahead of the signer's. */
export const maxClockSkewMs = 5 * minute

/** How many more requests than nodes may be pending. */
export const spareRequests = 100

/** Refusals that may resolve by themselves, such as an unregistered Node, are reported after this time. */
export const reportAfterMs = minute

/** Requeue interval for requests that may be approved later: no watch event announces a change of RBAC or clocks. */
export const requeueAfterMs = minute
