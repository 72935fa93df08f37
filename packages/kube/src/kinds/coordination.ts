import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    /** With microseconds: `2026-01-01T00:00:00.000000Z`. */
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

export const leases = resource<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
})
