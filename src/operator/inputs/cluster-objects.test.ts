import { describe, expect, it } from 'vitest'
import { clusterVersions, images, proxies } from '../../api/openshift-config.ts'
import type { Resource } from '@machinist/core/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
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
  return reading.is === 'bad' ? `${reading.problem.reason}: ${reading.problem.message}` : reading.is
}

describe('an object that is not there', () => {
  it('is nothing where it was never made, or its kind is not served', () => {
    expect(without({ isServed: true })).toBe('nothing')
    expect(without({})).toBe('nothing')
  })

  it('is missing where OpenShift always has one, and need not be made on a plain Kubernetes', () => {
    const gone = 'Missing: Image cluster is gone: make it again'
    expect(without({ isServed: true }, 'image', { isServed: true })).toBe(gone)
    expect(without({ isServed: true }, 'image', { isLost: true })).toBe(gone)
    expect(without({ isServed: true }, 'image')).toBe('nothing')
  })

  it('is not called gone before it is known whether this is an OpenShift', () => {
    expect(without({ isServed: true }, 'image', { isKnown: false })).toBe(
      'NotReachable: the API does not say whether there is a ClusterVersion version: see to it that the operator may list and watch clusterversions.config.openshift.io',
    )
  })

  it('is not known while the API does not say', () => {
    expect(without({ isKnown: false })).toBe(
      'NotReachable: the API does not say whether there is a Proxy cluster: see to it that the operator may list and watch proxies.config.openshift.io',
    )
  })

  it('is not known when its kind was served and is no more', () => {
    expect(without({ isLost: true })).toBe(
      'NotReachable: the API server does not know proxies.config.openshift.io any more: bring the kind back, or restart the operator if the cluster shall do without',
    )
  })
})

it('whoever reads an Image waits for what tells an OpenShift, and hears of it', () => {
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
