/** What holds where a TrustRotation does not say otherwise. */
export const defaults = {
  signer: { validity: '8760h', refresh: '7008h' },
  target: { validity: '720h', refresh: '360h' },
  key: 'RSA-2048',
  /** Kubelets look at their file of client CAs once a minute where no event announces a change. */
  nodeSettle: '2m',
  /**
   * client-go, and so kube-apiserver, keeps its connections with the certificate that it has, and looks at the file every five
   * minutes. As much again for whoever brings the certificate to that file.
   */
  leafSettle: '10m',
  /** Who owns what carries no other name yet. */
  owningComponent: 'machinist',
} as const
