import { describe, expect, it } from 'vitest'
import type { Infrastructure, PlatformStatus } from '../../api/openshift-config.ts'
import { serverHost } from './server-host.ts'

describe('the host of the machine config server', () => {
  const infra = (
    platformStatus?: PlatformStatus,
    apiServerInternalURI = 'https://api-int.c.example.com:6443',
  ): Infrastructure => ({
    metadata: { name: 'cluster' },
    spec: {},
    status: { apiServerInternalURI, ...(platformStatus && { platformStatus }) },
  })
  const ips = (...apiServerInternalIPs: string[]) => ({ apiServerInternalIPs })

  it.each<[string, string | undefined, Infrastructure | null | undefined]>([
    ['no Infrastructure', undefined, undefined],
    ['null', undefined, null],
    ['no address', undefined, infra(undefined, '')],
    ['an invalid address', undefined, infra(undefined, 'api-int')],
    ['no platform', 'api-int.c.example.com', infra()],
    ['None', 'api-int.c.example.com', infra({ type: 'None' })],
    ['AWS', 'api-int.c.example.com', infra({ type: 'AWS', aws: {} })],
    ['BareMetal', '10.0.0.5', infra({ type: 'BareMetal', baremetal: ips('10.0.0.5', 'fd00::5') })],
    ['BareMetal, IPv6', '[fd00::5]', infra({ type: 'BareMetal', baremetal: ips('fd00::5') })],
    ['OpenStack', '10.0.0.6', infra({ type: 'OpenStack', openstack: ips('10.0.0.6') })],
    ['Ovirt', '10.0.0.7', infra({ type: 'Ovirt', ovirt: ips('10.0.0.7') })],
    ['VSphere', '10.0.0.8', infra({ type: 'VSphere', vsphere: ips('10.0.0.8') })],
    ['VSphere, no addresses', 'api-int.c.example.com', infra({ type: 'VSphere', vsphere: ips() })],
    ['VSphere, no details', 'api-int.c.example.com', infra({ type: 'VSphere' })],
    ['Nutanix', 'api-int.c.example.com', infra({ type: 'Nutanix', nutanix: ips('10.0.0.9') })],
    // MCO panics in these three cases.
    ['BareMetal, no addresses', 'api-int.c.example.com', infra({ type: 'BareMetal' })],
    ['OpenStack, none', 'api-int.c.example.com', infra({ type: 'OpenStack', openstack: ips() })],
    ['Ovirt, none', 'api-int.c.example.com', infra({ type: 'Ovirt', ovirt: ips() })],
    [
      'BareMetal, with the field of older releases',
      '10.0.0.5',
      infra({ type: 'BareMetal', baremetal: { apiServerInternalIP: '10.0.0.5' } }),
    ],
    ['an IPv6 address', '[fd00::1]', infra(undefined, 'https://[fd00::1]:6443')],
    ['a platform with an odd name', 'api-int.c.example.com', infra({ type: 'constructor' })],
  ])('%s', (_, expected, given) => {
    expect(serverHost(given)).toBe(expected)
  })
})
