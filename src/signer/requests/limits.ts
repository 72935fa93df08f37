const minute = 60_000

/** Older requests are left behind: whoever made one has long asked anew, perhaps by another clock. */
export const oldestMs = 60 * minute

/** How far ahead the API server's clock may be of ours. */
export const aheadMs = 5 * minute

/** Kubelets that have nothing new to tell do it every five minutes. */
export const heartbeatMs = 10 * minute

/** So many more requests than nodes may wait at once. */
export const spareRequests = 100

/** So long what may come right by itself is not told: a Node that is just being registered, say. */
export const patienceMs = minute

/** How soon to look again at a request whose time may come: rights and clocks change without telling. */
export const lookAgainMs = minute
