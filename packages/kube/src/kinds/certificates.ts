import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

export interface CertificateSigningRequest extends KubeObject {
  spec: {
    /** PEM, base64 encoded. */
    request: string
    signerName: string
    usages?: string[]
    expirationSeconds?: number
    username?: string
    uid?: string
    groups?: string[]
    extra?: Record<string, string[]>
  }
  status?: {
    /** PEM chain, base64 encoded. */
    certificate?: string
    conditions?: SigningCondition[]
  }
}

/** Approval is a condition that is set through the `approval` subresource. */
export interface SigningCondition extends Condition {
  type: 'Approved' | 'Denied' | 'Failed'
  lastUpdateTime?: string
}

export const certificateSigningRequests = resource<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
})
