/** What holds where a TrustRotation does not say otherwise. */
export const defaults = {
  signer: { validity: '8760h', refresh: '7008h' },
  target: { validity: '720h', refresh: '360h' },
  key: 'RSA-2048',
  settle: '2m',
  /** Who owns what carries no other name yet. */
  owningComponent: 'machinist',
} as const
