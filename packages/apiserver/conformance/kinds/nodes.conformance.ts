import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { causesOf, goodQualifiedName } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'

const make = (api: Api, name: string, spec: object): Promise<Answer> =>
  api.post('/api/v1/nodes', { metadata: { name }, spec })

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

conformance('nodes', (on) => {
  it(
    'have podCIDR and podCIDRs',
    on(async ({ api, unique }) => {
      const one = await make(api, unique, { podCIDR: '10.1.0.0/24' })
      expect(one.body.spec).toEqual({
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
        taints: [notReady],
      })
      const list = await make(api, `${unique}-b`, { podCIDRs: ['10.2.0.0/24', '2001:db8::/64'] })
      expect(list.body.spec).toMatchObject({ podCIDR: '10.2.0.0/24' })
      const both = { podCIDR: '10.3.0.0/24', podCIDRs: ['10.4.0.0/24'] }
      expect((await make(api, `${unique}-c`, both)).body.spec).toMatchObject({
        podCIDR: '10.3.0.0/24',
        podCIDRs: ['10.3.0.0/24'],
      })
    }),
  )

  it(
    '422: invalid podCIDRs',
    on(async ({ api, unique }) => {
      expect(causesOf(await make(api, unique, { podCIDRs: ['x'] }))).toEqual([
        'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ])
      const podCIDRs = ['10.1.0.0/24', '10.2.0.0/24', '10.1.0.0/24']
      expect(causesOf(await make(api, unique, { podCIDRs }))).toEqual([
        'spec.podCIDRs: Invalid value: []string{"10.1.0.0/24", "10.2.0.0/24", "10.1.0.0/24"}: may specify no more than one CIDR for each IP family',
        'spec.podCIDRs[2]: Duplicate value: "10.1.0.0/24"',
      ])
    }),
  )

  it(
    '422: invalid taints',
    on(async ({ api, unique }) => {
      const taints = [
        { key: 'a b', effect: 'Q', value: '-' },
        { key: '', effect: '' },
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ]
      expect(causesOf(await make(api, unique, { taints }))).toEqual([
        `metadata.taints[0].key: Invalid value: "a b": ${goodQualifiedName}`,
        `metadata.taints[0].value: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        'metadata.taints[0].effect: Unsupported value: "Q": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        'metadata.taints[1].key: Invalid value: "": name part must be non-empty',
        `metadata.taints[1].key: Invalid value: "": ${goodQualifiedName}`,
        'metadata.taints[1].effect: Required value',
        'metadata.taints[3]: Duplicate value: core.Taint{Key:"a", Value:"b", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
      ])
    }),
  )

  it(
    '422: immutable fields',
    on(async ({ api, unique }) => {
      const path = `/api/v1/nodes/${unique}`
      await make(api, unique, {})
      const first = { spec: { podCIDR: '10.1.0.0/24', providerID: 'p' } }
      expect((await api.patch(path, 'merge', first)).code).toBe(200)
      const second = { spec: { podCIDR: '10.3.0.0/24', providerID: 'q', externalID: 'e' } }
      expect(causesOf(await api.patch(path, 'merge', second))).toEqual([
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        'spec.externalID: Forbidden: may not be updated',
      ])
      const none = { spec: { podCIDR: null, podCIDRs: null } }
      expect(causesOf(await api.patch(path, 'merge', none))).toEqual([
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      ])
    }),
  )

  it(
    'can be unschedulable',
    on(async ({ api, unique }) => {
      const path = `/api/v1/nodes/${unique}`
      await make(api, unique, { unschedulable: true })
      const freed = await api.patch(path, 'merge', { spec: { unschedulable: false } })
      expect(freed.body.spec).toEqual({ taints: [notReady] })
    }),
  )

  it(
    'are created with the status of their kubelet',
    on(async ({ api, unique }) => {
      const { body } = await api.post('/api/v1/nodes', {
        metadata: { name: unique },
        status: { capacity: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True' }] },
      })
      expect(body.status).toMatchObject({
        capacity: { cpu: '1' },
        allocatable: { cpu: '1' },
        conditions: [
          { type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null },
        ],
      })
    }),
  )

  it(
    '422: an invalid status',
    on(async ({ api, unique }) => {
      await make(api, unique, {})
      const status = {
        addresses: [
          { type: 'Hostname', address: 'a' },
          { type: 'Hostname', address: 'a' },
        ],
        capacity: { cpu: '-1', memory: '1Gi' },
      }
      const patched = await api.patch(`/api/v1/nodes/${unique}/status`, 'merge', { status })
      expect(causesOf(patched)).toEqual([
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.addresses[1]: Duplicate value: core.NodeAddress{Type:"Hostname", Address:"a"}',
      ])
    }),
  )
})
