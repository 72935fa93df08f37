import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Infrastructure } from '../../api/openshift-config.ts'
import { serverNames } from './server-names.ts'

const infra = (status: Infrastructure['status']): Infrastructure => ({
  metadata: { name: 'cluster' },
  spec: {},
  ...(status && { status }),
})
const apiServerInternalURI = 'https://api-int.c.example.com:6443'

describe('the names of the machine config server', () => {
  it.each<[string, Infrastructure | null | undefined, readonly string[]]>([
    ['nothing', undefined, []],
    ['no Infrastructure', null, []],
    ['no status', infra(undefined), []],
    ['a host', infra({ apiServerInternalURI }), ['api-int.c.example.com']],
    ['an address', infra({ apiServerInternalURI: 'https://[FD00:0::5]:6443' }), ['fd00::5']],
    [
      'a host and addresses',
      infra({
        apiServerInternalURI,
        platformStatus: {
          type: 'BareMetal',
          baremetal: { apiServerInternalIPs: ['192.0.2.5', 'fd00::5'], apiServerInternalIP: '::1' },
        },
      }),
      ['192.0.2.5', 'api-int.c.example.com', 'fd00::5'],
    ],
    [
      'the older field',
      infra({
        platformStatus: {
          type: 'VSphere',
          vsphere: { apiServerInternalIPs: [], apiServerInternalIP: '192.0.2.5' },
        },
      }),
      ['192.0.2.5'],
    ],
    [
      'DNS in the cluster',
      infra({
        apiServerInternalURI,
        platformStatus: {
          type: 'GCP',
          gcp: {
            cloudLoadBalancerConfig: { clusterHosted: { apiIntLoadBalancerIPs: ['192.0.2.7'] } },
          },
        },
      }),
      ['192.0.2.7', 'api-int.c.example.com'],
    ],
    [
      'invalid values',
      infra({
        apiServerInternalURI: 'api-int',
        platformStatus: { type: 'None', nutanix: { apiServerInternalIPs: ['', 'a b', '1.2.3'] } },
      }),
      [],
    ],
  ])('%s', (_, given, names) => {
    expect(serverNames(given)).toEqual(names)
  })

  it('are always a valid set', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^https:\/\/[a-z0-9.-]{1,20}(:\d+)?\/?$/),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('https://api-int:6443', 'https://[::1]:6443', '10.0.0.1', 'a.b'),
    )
    fc.assert(
      fc.property(text, fc.array(text), (uri, addresses) => {
        const names = serverNames(
          infra({
            apiServerInternalURI: uri,
            platformStatus: { type: 'OpenStack', openstack: { apiServerInternalIPs: addresses } },
          }),
        )
        expect(new Set(names).size).toBe(names.length)
        expect(names.toSorted()).toEqual(names)
      }),
    )
  })
})
