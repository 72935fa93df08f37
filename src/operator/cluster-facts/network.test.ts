import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invalid, given, plainFacts } from './example-facts.fixture.ts'
import { networkFinding } from './network.ts'

const found = (spec: object, status?: object): ReturnType<typeof networkFinding> =>
  networkFinding({ ...plainFacts, network: given({ spec, ...(status && { status }) }) })

const services = { serviceNetwork: ['172.30.0.0/16'] }

describe('the service network', () => {
  it.each([
    [['172.30.0.0/16'], '172.30.0.10', 'IPv4'],
    [['10.96.7.3/12'], '10.96.0.10', 'IPv4'],
    [['10.0.0.16/28'], '10.0.0.26', 'IPv4'],
    [['fd02::/112'], 'fd02::a', 'IPv6'],
    [['2001:db8:1:2:3:4:5:0/108'], '2001:db8:1:2:3:4:0:a', 'IPv6'],
    [['172.30.0.0/16', 'fd02::/112'], '172.30.0.10', 'DualStack'],
    [['fd02::/112', '172.30.0.0/16'], 'fd02::a', 'DualStackIPv6Primary'],
  ])('%j results in %s and %s', (serviceNetwork, clusterDNSIP, ipFamilies) => {
    expect(found({ serviceNetwork })).toEqual({
      spec: { clusterDNSIP, ipFamilies, networkType: undefined, network: null },
    })
  })

  it.each([
    [[], 'Thing cluster, spec.serviceNetwork must begin with a range of at least 16 addresses'],
    [
      ['10.0.0.0/29'],
      'Thing cluster, spec.serviceNetwork must begin with a range of at least 16 addresses',
    ],
    [
      ['10.0.0.0/16', 'secret'],
      'Thing cluster, spec.serviceNetwork [1] is not a CIDR range such as 10.96.0.0/12',
    ],
  ])('%j is invalid', (serviceNetwork, message) => {
    expect(found({ serviceNetwork }).problem).toMatchObject({ reason: 'BadValue', message })
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/16/16',
    '/16',
    '10.0.0/16',
    'fd02::/129',
  ])('%j is not a range', (range) => {
    expect(found({ serviceNetwork: [range] }).problem?.reason).toBe('BadValue')
  })

  it('follows from the Service of the API server without a Network', () => {
    expect(networkFinding(plainFacts).spec).toEqual({
      clusterDNSIP: '10.96.0.10',
      ipFamilies: 'IPv4',
      networkType: undefined,
      network: null,
    })
    const metadata = { name: 'kubernetes' }
    const apiService = { metadata, spec: { clusterIPs: ['fd00:10:96::1', '10.43.0.1'] } }
    expect(networkFinding({ ...plainFacts, apiService }).spec).toMatchObject({
      clusterDNSIP: 'fd00:10:96::a',
      ipFamilies: 'DualStackIPv6Primary',
    })
  })

  it('must be known', () => {
    const none = networkFinding({ ...plainFacts, apiService: undefined })
    expect(none.problem?.message).toBe(
      'the service network is unknown: Service default/kubernetes does not exist; set key network of ConfigMap openshift-machine-config-operator/machinist-cluster',
    )
    const headless = { metadata: { name: 'kubernetes' }, spec: { clusterIP: 'None' } }
    expect(networkFinding({ ...plainFacts, apiService: headless }).problem?.reason).toBe('BadValue')
  })

  it('stays unchanged if the Network is invalid', () => {
    expect(networkFinding({ ...plainFacts, network: invalid })).toEqual({
      problem: { reason: 'Unreadable', message: 'it is unreadable' },
    })
  })

  it('is checked without exceptions for any value', () => {
    const range = fc.oneof(
      fc.string(),
      fc.tuple(fc.ipV4(), fc.nat(40)).map(([ip, bits]) => `${ip}/${bits}`),
      fc.tuple(fc.ipV6(), fc.nat(140)).map(([ip, bits]) => `${ip}/${bits}`),
    )
    fc.assert(
      fc.property(fc.array(range, { maxLength: 3 }), (serviceNetwork) => {
        const { spec, problem } = found({ serviceNetwork })
        expect(spec === undefined).toBe(problem !== undefined)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the network type', () => {
  const mtu = { network: { from: 1400, to: 9000 }, machine: { to: 9100 } }

  it.each([
    [
      'that of the spec, during installation',
      { networkType: 'OVNKubernetes' },
      undefined,
      'OVNKubernetes',
    ],
    [
      'that of the status, not of the spec',
      { networkType: 'OVNKubernetes' },
      { networkType: 'OpenShiftSDN' },
      'OpenShiftSDN',
    ],
    [
      'the target of a migration',
      {},
      { networkType: 'OpenShiftSDN', migration: { networkType: 'OVNKubernetes' } },
      'OVNKubernetes',
    ],
    [
      'that of the status, in an MTU migration',
      {},
      { networkType: 'OVNKubernetes', migration: { mtu } },
      'OVNKubernetes',
    ],
    ['unknown', {}, undefined, undefined],
  ])('is %s', (_, spec, status, networkType) => {
    expect(found({ ...services, ...spec }, status).spec?.networkType).toBe(networkType)
  })

  it('includes an MTU migration', () => {
    const migrating = { networkType: 'OVNKubernetes', migration: { mtu } }
    expect(found(services, migrating).spec?.network).toEqual({ mtuMigration: mtu })
    expect(found(services, { networkType: 'OVNKubernetes' }).spec?.network).toBeNull()
    // Without a network, there is no migration.
    expect(found(services, { migration: { mtu } }).spec?.network).toBeNull()
  })
})
