/** How long the CAs of the API server must stay the same before nodes get them. */
export const apiServerSettleMs = 60_000
