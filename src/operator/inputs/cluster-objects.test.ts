import { describe, expect, it } from 'vitest'
import { proxies } from '../../api/openshift-config.ts'
import type { ClusterObjects } from './cluster-objects.ts'
import { readClusterObject } from './cluster-objects.ts'

/** A cluster without a Proxy and without ConfigMap machinist-cluster. */
function without(kind: { isKnown?: boolean; isServed?: boolean; isLost?: boolean }): string {
  const { isKnown = true, isServed = false, isLost = false } = kind
  const nothing = { get: () => undefined, hasSynced: true }
  const objects = {
    proxy: {
      resource: proxies,
      get: () => undefined,
      isKnown: () => isKnown,
      isServed: () => isServed,
      isLost: () => isLost,
    },
    configMap: nothing,
    controllerConfig: nothing,
  }
  const reading = readClusterObject(objects as unknown as ClusterObjects, 'proxy')
  return reading.is === 'bad' ? `${reading.problem.reason}: ${reading.problem.message}` : reading.is
}

describe('an object that is not there', () => {
  it('is nothing where it was never made, or its kind is not served', () => {
    expect(without({ isServed: true })).toBe('nothing')
    expect(without({})).toBe('nothing')
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
