import { describe, expect, it } from 'vitest'
import { referenceTo, resource } from './resource.ts'

const pods = resource({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
})
const pools = resource({
  group: 'machineconfiguration.openshift.io',
  version: 'v1',
  kind: 'MachineConfigPool',
  plural: 'machineconfigpools',
  namespaced: false,
})

describe('a reference to an object', () => {
  it('adds the kind of the resource', () => {
    expect(referenceTo(pools, { metadata: { name: 'worker', uid: 'u-1' } })).toStrictEqual({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      name: 'worker',
      uid: 'u-1',
    })
  })

  it('has a namespace and a UID only if the object has them', () => {
    expect(referenceTo(pods, { metadata: { name: 'web', namespace: 'shop' } })).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web',
    })
  })
})
