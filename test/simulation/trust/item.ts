/** What nodes hold, and tell that they hold. */
export type TrustItem = 'kubelet-client-ca' | 'api-server-ca'
