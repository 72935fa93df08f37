/** Defaults of TrustRotation fields. */
export const rotationDefaults = {
  signer: { validity: '8760h', refresh: '7008h' },
  target: { validity: '720h', refresh: '360h' },
  key: 'RSA-2048',
  /** Kubelets read their client CA file at least once a minute, even without a file event. */
  nodeSettle: '2m',
  /**
   * client-go, and so kube-apiserver, keeps connections with the loaded certificate and reads the file every five minutes. The
   * component that copies the certificate to that file gets another five minutes.
   */
  leafSettle: '10m',
  /** As long as a replaced provisioning token is accepted: machines with older user data are refused after that anyway. */
  userDataSettle: '168h',
  /** The owning-component annotation of objects without one. */
  owningComponent: 'machinist',
} as const
