import { describe, expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { platformOf } from './platform.ts'

const on = (type: string | undefined, more: object = {}): Pick<ControllerConfig, 'spec'> => ({
  spec: {
    infra: {
      metadata: { name: 'cluster' },
      spec: {},
      status: { ...(type !== undefined && { platformStatus: { type, ...more } }) },
    },
  } as unknown as ControllerConfig['spec'],
})

describe('the platform', () => {
  it.each(
    'AWS OpenStack Azure GCP VSphere PowerVS Nutanix KubeVirt IBMCloud AlibabaCloud'.split(' '),
  )('%s has a cloud controller of its own', (type) => {
    expect(platformOf(on(type)).cloudProvider).toBe('external')
  })

  it.each(['BareMetal', 'Libvirt', 'None', 'External'])('%s has none', (type) => {
    expect(platformOf(on(type)).cloudProvider).toBe('')
  })

  it('External has one if its cloudControllerManager is External', () => {
    const external = { external: { cloudControllerManager: { state: 'External' } } }
    expect(platformOf(on('External', external)).cloudProvider).toBe('external')
  })

  it.each([
    ['AWS', 'ecr'],
    ['Azure', 'acr'],
    ['GCP', 'gcr'],
    ['VSphere', ''],
    ['OpenStack', ''],
    ['BareMetal', ''],
  ])('%s gives credentials with %j', (type, provider) => {
    expect(platformOf(on(type)).credentialProvider).toBe(provider)
  })

  it.each([
    ['AWS', '', ['_base', 'aws']],
    ['VSphere', 'HighlyAvailable', ['_base', 'on-prem', 'vsphere']],
    ['BareMetal', 'SingleReplica', ['_base', 'on-prem', 'baremetal', 'sno']],
    ['None', 'DualReplica', ['_base', 'none', 'two-node-with-fencing']],
    ['_bad_', '', ['_base', 'none']],
  ])('%s with topology %j has the templates of %j', (type, topology, directories) => {
    const config = on(type)
    config.spec.infra!.status!.controlPlaneTopology = topology
    expect(platformOf(config).directories).toEqual(directories)
  })

  it('is None without an Infrastructure, and is read from the deprecated field too', () => {
    expect(platformOf({ spec: { infra: null } as ControllerConfig['spec'] }).type).toBe('None')
    const old = on(undefined)
    old.spec.infra!.status = { platform: 'OpenStack' }
    expect(platformOf(old).type).toBe('OpenStack')
  })

  it.each([
    [undefined, 'cannot generate MachineConfigs when no platformStatus.type is set in spec.infra'],
    ['_base', 'platform _base unsupported'],
  ])('cannot be %s', (type, message) => {
    expect(() => platformOf(on(type))).toThrow(message)
  })
})
