import { describe, expect, it } from 'vitest'
import type { Resource } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { clusterVersions, images, proxies } from '../../api/openshift-config.ts'
import type { ClusterObjects } from './cluster-objects.ts'
import { clusterObjectInputs, readClusterObject } from './cluster-objects.ts'

interface Served {
  readonly isKnown?: boolean
  readonly isServed?: boolean
  readonly isLost?: boolean
}

/** A cluster without an object of the kind and without ConfigMap machinist-cluster. */
function without(served: Served, kind: 'proxy' | 'image' = 'proxy', version: Served = {}): string {
  const place = (
    resource: Resource,
    { isKnown = true, isServed = false, isLost = false }: Served,
  ): object => ({
    resource,
    get: () => undefined,
    isKnown: () => isKnown,
    isServed: () => isServed,
    isLost: () => isLost,
  })
  const nothing = { get: () => undefined, hasSynced: true }
  const objects = {
    proxy: place(proxies, served),
    image: place(images, served),
    clusterVersion: place(clusterVersions, version),
    configMap: nothing,
    controllerConfig: nothing,
  }
  const reading = readClusterObject(objects as unknown as ClusterObjects, kind)
  return reading.type === 'invalid'
    ? `${reading.problem.reason}: ${reading.problem.message}`
    : reading.type
}

describe('an object that does not exist', () => {
  it('is absent if it was never created, or if its kind is not served', () => {
    expect(without({ isServed: true })).toBe('absent')
    expect(without({})).toBe('absent')
  })

  it('is missing in OpenShift, and absent in other clusters', () => {
    const missing = 'Missing: Image cluster is missing: create it'
    expect(without({ isServed: true }, 'image', { isServed: true })).toBe(missing)
    expect(without({ isServed: true }, 'image', { isLost: true })).toBe(missing)
    expect(without({ isServed: true }, 'image')).toBe('absent')
  })

  it('is not reachable before it is known whether the cluster is OpenShift', () => {
    expect(without({ isServed: true }, 'image', { isKnown: false })).toBe(
      'NotReachable: cannot read ClusterVersion version: grant the operator permission to list and watch clusterversions.config.openshift.io',
    )
  })

  it('is not reachable while the informer has not synced', () => {
    expect(without({ isKnown: false })).toBe(
      'NotReachable: cannot read Proxy cluster: grant the operator permission to list and watch proxies.config.openshift.io',
    )
  })

  it('is not reachable when its kind is no longer served', () => {
    expect(without({ isLost: true })).toBe(
      'NotReachable: the API server no longer serves proxies.config.openshift.io: install the CRD again, or restart the operator if the CRD was removed on purpose',
    )
  })
})

it('a reader of Image has ClusterVersion as an input', () => {
  const input = (resource: string) => ({
    input: () => ({ resource, synced: () => Promise.resolve(true), subscribe: () => () => {} }),
  })
  const objects = {
    image: input('Image'),
    proxy: input('Proxy'),
    clusterVersion: input('ClusterVersion'),
  } as unknown as ClusterObjects
  const inputs = clusterObjectInputs(objects, ['image', 'proxy'], 'a', new VirtualClock())
  expect(inputs.map(({ resource }) => resource)).toEqual([
    'Image',
    'Proxy',
    'ClusterVersion',
    'ConfigMap',
    'ControllerConfig',
  ])
})
