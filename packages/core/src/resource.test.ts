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
  it('says the kind of one that does not', () => {
    expect(referenceTo(pools, { metadata: { name: 'worker', uid: 'u-1' } })).toStrictEqual({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      name: 'worker',
      uid: 'u-1',
    })
  })

  it('has the namespace of one that lives in one, and no uid of one without', () => {
    expect(referenceTo(pods, { metadata: { name: 'web', namespace: 'shop' } })).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web',
    })
  })
})
