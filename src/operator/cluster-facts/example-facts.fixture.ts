import type { ObjectReference } from '@machinist/core/objects/resource'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ClusterReading } from '../inputs/cluster-reading.ts'
import type { ClusterFacts } from './facts.ts'

const source: ObjectReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }

export const absent: ClusterReading<never> = { type: 'absent' }

/** A reading of an object of the API. */
export const given = <T>(object: unknown): ClusterReading<T> => ({
  type: 'given',
  object: object as T,
  source: { ...source, kind: 'Thing', name: 'cluster' },
})

export const invalid: ClusterReading<never> = {
  type: 'invalid',
  problem: { reason: 'Unreadable', message: 'it is unreadable' },
}

/** A cluster without configuration objects, except the Service that every cluster has. */
export const plainFacts: ClusterFacts = {
  stored: undefined,
  trustWaitMs: 0,
  versions: { version: '0.1.0', release: '4.16.3' },
  infrastructure: absent,
  network: absent,
  proxy: absent,
  dns: absent,
  apiService: {
    metadata: { namespace: 'default', name: 'kubernetes' },
    spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] },
  },
  isOpenShift: false,
  release: undefined,
  releaseImages: absent,
  osImages: absent,
  cloudConfig: absent,
  pullSecret: absent,
  configMap: absent,
  facts: {
    images: absent,
    baseOSContainerImage: absent,
    baseOSExtensionsContainerImage: absent,
    certificateDelivery: absent,
    containerRuntime: absent,
  },
}

export const stored = (
  spec: Partial<ControllerConfig['spec']>,
  annotations: Record<string, string> = {},
): ControllerConfig => ({
  metadata: { name: 'machine-config-controller', annotations },
  spec: { ...emptyControllerConfigSpec, clusterDNSIP: '10.0.0.10', ipFamilies: 'IPv4', ...spec },
})
