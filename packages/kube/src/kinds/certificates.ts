import type { Condition, KubeObject } from '@machinist/core/resource'
import { resource } from '@machinist/core/resource'

export interface CertificateSigningRequest extends KubeObject {
  spec: {
    /** base64 of the PEM. */
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
    /** base64 of the PEM chain. */
    certificate?: string
    conditions?: SigningCondition[]
  }
}

/** Approval is a condition, written through the `approval` subresource. */
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
