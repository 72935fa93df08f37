import type { ControllerConfig } from '../../api/resources.ts'
import type { ObjectReference } from '@machinist/core/resource'
import type { ClusterFacts } from './cluster-facts.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { Reading } from '../inputs/cluster-reading.ts'

const source: ObjectReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }

export const nothing: Reading<never> = { is: 'nothing' }

/** An object of the API that says this. */
export const given = <T>(object: unknown): Reading<T> => ({
  is: 'given',
  object: object as T,
  source: { ...source, kind: 'Thing', name: 'cluster' },
})

export const bad: Reading<never> = {
  is: 'bad',
  problem: { reason: 'Unreadable', message: 'it cannot be read' },
}

/** A cluster about which nobody says anything, but for the Service that each has. */
export const plainFacts: ClusterFacts = {
  stored: undefined,
  infrastructure: nothing,
  network: nothing,
  proxy: nothing,
  dns: nothing,
  apiService: {
    metadata: { namespace: 'default', name: 'kubernetes' },
    spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] },
  },
  isOpenShift: false,
  release: undefined,
  releaseImages: nothing,
  osImages: nothing,
  cloudConfig: nothing,
  pullSecret: nothing,
  configMap: nothing,
  facts: {
    images: nothing,
    baseOSContainerImage: nothing,
    baseOSExtensionsContainerImage: nothing,
    certificateDelivery: nothing,
    containerRuntime: nothing,
  },
}

export const stored = (
  spec: Partial<ControllerConfig['spec']>,
  annotations: Record<string, string> = {},
): ControllerConfig => ({
  metadata: { name: 'machine-config-controller', annotations },
  spec: { ...emptySpec, clusterDNSIP: '10.0.0.10', ipFamilies: 'IPv4', ...spec },
})
