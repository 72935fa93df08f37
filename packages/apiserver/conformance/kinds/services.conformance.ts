import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { causesOf, goodLabel, goodQualifiedName } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'

const servicesOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/services`

const make = (api: Api, namespace: string, name: string, spec: object): Promise<Answer> =>
  api.post(servicesOf(namespace), { metadata: { name }, spec })

const ports = [{ port: 80 }]
const address = expect.stringMatching(/^10\.0\.0\.\d+$/) as string

conformance('services', (on) => {
  it(
    'get an address, and defaults',
    on(async ({ api, namespace }) => {
      const { code, body } = await make(api, namespace, 'a', { ports, selector: { a: 'b' } })
      expect(code).toBe(201)
      expect(body.spec).toEqual({
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        selector: { a: 'b' },
        clusterIP: address,
        clusterIPs: [body.spec['clusterIP']],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      })
      expect(body.status).toEqual({ loadBalancer: {} })
      const other = await make(api, namespace, 'b', { ports })
      expect(other.body.spec['clusterIP']).not.toBe(body.spec['clusterIP'])
    }),
  )

  it(
    'headless services have no address',
    on(async ({ api, namespace }) => {
      const none = { clusterIP: 'None', clusterIPs: ['None'] }
      const bare = await make(api, namespace, 'a', { clusterIP: 'None' })
      expect(bare.body.spec).toEqual({
        ...none,
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
        internalTrafficPolicy: 'Cluster',
      })
      const selecting = await make(api, namespace, 'b', {
        clusterIP: 'None',
        ports,
        selector: { a: 'b' },
      })
      expect(selecting.body.spec).toMatchObject({
        ...none,
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      })
    }),
  )

  it(
    'ExternalName services have no address',
    on(async ({ api, namespace }) => {
      const type = 'ExternalName'
      const named = await make(api, namespace, 'a', { type, externalName: 'x.example.org' })
      expect(named.body.spec).toEqual({
        type,
        sessionAffinity: 'None',
        externalName: 'x.example.org',
      })
      expect(causesOf(await make(api, namespace, 'b', { type }))).toEqual([
        'spec.externalName: Required value',
      ])
      const addressed = { type, externalName: 'x.y', clusterIP: '10.0.0.7' }
      expect(causesOf(await make(api, namespace, 'b', addressed))).toEqual([
        'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
      ])
    }),
  )

  it(
    'NodePort services get node ports',
    on(async ({ api, namespace }) => {
      const { body } = await make(api, namespace, 'a', { type: 'NodePort', ports })
      expect(body.spec).toMatchObject({
        clusterIP: address,
        externalTrafficPolicy: 'Cluster',
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: expect.any(Number) }],
      })
      const [{ nodePort } = { nodePort: 0 }] = body.spec['ports'] as { nodePort: number }[]
      expect(nodePort).toBeGreaterThanOrEqual(30000)
      expect(nodePort).toBeLessThanOrEqual(32767)
      const same = await make(api, namespace, 'b', {
        type: 'NodePort',
        ports: [{ port: 81, nodePort }],
      })
      expect(causesOf(same)).toEqual([
        `spec.ports[0].nodePort: Invalid value: ${nodePort}: provided port is already allocated`,
      ])
      const low = await make(api, namespace, 'b', {
        type: 'NodePort',
        ports: [{ port: 81, nodePort: 80 }],
      })
      expect(causesOf(low)).toEqual([
        'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
      ])
      const balanced = await api.put(`${servicesOf(namespace)}/a`, {
        metadata: { name: 'a' },
        spec: { type: 'LoadBalancer', ports },
      })
      expect(balanced.body.spec).toMatchObject({
        clusterIP: body.spec['clusterIP'],
        allocateLoadBalancerNodePorts: true,
        ports: [{ nodePort }],
      })
      const inner = { spec: { type: 'ClusterIP' } }
      const back = await api.patch(`${servicesOf(namespace)}/a`, 'merge', inner)
      expect(back.body.spec).toEqual({
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        clusterIP: body.spec['clusterIP'],
        clusterIPs: body.spec['clusterIPs'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      })
    }),
  )

  it(
    '422: an address that is taken, out of range, or invalid',
    on(async ({ api, namespace }) => {
      const { body } = await make(api, namespace, 'a', { ports })
      const clusterIP = body.spec['clusterIP'] as string
      const error = async (spec: object): Promise<string[]> =>
        causesOf(await make(api, namespace, 'b', { ports, ...spec }))
      expect(await error({ clusterIP })).toEqual([
        `spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      ])
      expect(await error({ clusterIP: '10.9.0.77' })).toEqual([
        'spec.clusterIPs: Invalid value: []string{"10.9.0.77"}: failed to allocate IP 10.9.0.77: the provided IP (10.9.0.77) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
      ])
      expect(await error({ clusterIP: 'junk' })).toEqual([
        'spec.clusterIPs[0]: Invalid value: "junk": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ])
      expect(await error({ clusterIPs: ['10.0.0.78'] })).toEqual([
        'spec.clusterIPs: Invalid value: []string{"10.0.0.78"}: must be empty when `clusterIP` is not specified',
      ])
      expect(await error({ clusterIP: '10.0.0.79', clusterIPs: ['10.0.0.80'] })).toEqual([
        'spec.clusterIPs: Invalid value: []string{"10.0.0.80"}: first value must match `clusterIP`',
      ])
    }),
  )

  it(
    'keep their address',
    on(async ({ api, namespace }) => {
      const { body } = await make(api, namespace, 'a', { ports })
      const { clusterIP } = body.spec
      const path = `${servicesOf(namespace)}/a`
      const other = await api.patch(path, 'merge', { spec: { clusterIP: '10.0.0.99' } })
      expect(causesOf(other)).toEqual([
        'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.99"}: may not change once set',
      ])
      const cleared = await api.patch(path, 'merge', { spec: { clusterIP: null } })
      expect(cleared.body.spec).toEqual(body.spec)
      const put = await api.put(path, { metadata: { name: 'a' }, spec: { ports: [{ port: 81 }] } })
      expect(put.body.spec).toMatchObject({ clusterIP, ports: [{ port: 81, targetPort: 81 }] })
      const outside = { spec: { type: 'ExternalName', externalName: 'x.y' } }
      expect((await api.patch(path, 'merge', outside)).body.spec).toEqual({
        ports: [{ protocol: 'TCP', port: 81, targetPort: 81 }],
        type: 'ExternalName',
        sessionAffinity: 'None',
        externalName: 'x.y',
      })
      const inside = await api.patch(path, 'merge', { spec: { type: 'ClusterIP' } })
      expect(inside.body.spec).toMatchObject({ clusterIP: address, clusterIPs: [address] })
    }),
  )

  it(
    '422: duplicate or invalid ports',
    on(async ({ api, namespace }) => {
      expect(causesOf(await make(api, namespace, 'a', {}))).toEqual(['spec.ports: Required value'])
      const unnamed = await make(api, namespace, 'a', { ports: [{ port: 80 }, { port: 81 }] })
      expect(causesOf(unnamed)).toEqual([
        'spec.ports[0].name: Required value',
        'spec.ports[1].name: Required value',
      ])
      const wrong = [
        { port: 0, name: 'a' },
        { port: 70000, name: 'b', protocol: 'X' },
        { port: 80, name: 'A_', targetPort: 'TOOLONGNAMEFORAPORTX' },
      ]
      const range = 'must be between 1 and 65535, inclusive'
      const target = 'spec.ports[2].targetPort: Invalid value: "TOOLONGNAMEFORAPORTX"'
      expect(causesOf(await make(api, namespace, 'a', { ports: wrong }))).toEqual([
        `spec.ports[0].port: Invalid value: 0: ${range}`,
        `spec.ports[0].targetPort: Invalid value: 0: ${range}`,
        `spec.ports[1].port: Invalid value: 70000: ${range}`,
        'spec.ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        `spec.ports[1].targetPort: Invalid value: 70000: ${range}`,
        `spec.ports[2].name: Invalid value: "A_": ${goodLabel}`,
        `${target}: must be no more than 15 characters`,
        `${target}: must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
        `${target}: must contain at least one letter (a-z)`,
      ])
    }),
  )

  it(
    '422: invalid types and policies',
    on(async ({ api, namespace }) => {
      const spec = { ports, type: 'X', sessionAffinity: 'Q', internalTrafficPolicy: 'Z' }
      expect(causesOf(await make(api, namespace, 'a', spec))).toEqual([
        'spec.sessionAffinity: Unsupported value: "Q": supported values: "ClientIP", "None"',
        'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        'spec.internalTrafficPolicy: Unsupported value: "Z": supported values: "Cluster", "Local"',
      ])
      const selector = { 'a b': 'c' }
      expect(causesOf(await make(api, namespace, 'a', { ports, selector }))).toEqual([
        `spec.selector: Invalid value: "a b": ${goodQualifiedName}`,
      ])
      const sticky = await make(api, namespace, 'a', { ports, sessionAffinity: 'ClientIP' })
      expect(sticky.body.spec['sessionAffinityConfig']).toEqual({
        clientIP: { timeoutSeconds: 10800 },
      })
    }),
  )

  it(
    '422: fields that the type or the cluster does not support',
    on(async ({ api, namespace }) => {
      const error = async (spec: object): Promise<string[]> =>
        causesOf(await make(api, namespace, 'a', { ports, ...spec }))
      expect(await error({ ports: [{ port: 80, nodePort: 30999 }] })).toEqual([
        "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      ])
      for (const type of ['NodePort', 'LoadBalancer']) {
        expect(await error({ type, clusterIP: 'None' })).toEqual([
          `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for ${type} services`,
        ])
      }
      expect(await error({ externalTrafficPolicy: 'Local' })).toEqual([
        'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      ])
      expect(await error({ ipFamilyPolicy: 'RequireDualStack' })).toEqual([
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ])
      expect(await error({ ipFamilies: ['IPv6'] })).toEqual([
        'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
      ])
    }),
  )

  it(
    'only LoadBalancer services have ingress status',
    on(async ({ api, namespace }) => {
      await make(api, namespace, 'a', { ports })
      await make(api, namespace, 'b', { ports, type: 'LoadBalancer' })
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.4' }] } }
      const plain = await api.patch(`${servicesOf(namespace)}/a/status`, 'merge', { status })
      expect(causesOf(plain)).toEqual([
        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
      ])
      const balanced = await api.patch(`${servicesOf(namespace)}/b/status`, 'merge', { status })
      expect(balanced.body.status).toEqual({
        loadBalancer: { ingress: [{ ip: '192.0.2.4', ipMode: 'VIP' }] },
      })
    }),
  )
})
