/** The trust items that nodes hold and report. */
export type TrustItem = 'kubelet-client-ca' | 'api-server-ca'
