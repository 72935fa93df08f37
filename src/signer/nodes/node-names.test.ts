import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import { isAlive } from './node-liveness.ts'
import { canonicalAddress, canonicalName, isReservedName, namesOf } from './node-names.ts'

const nodeWith = (...addresses: { type: string; address: string }[]): Node => ({
  metadata: { name: 'n1' },
  status: { addresses },
})

describe('the names of a Node', () => {
  it('are its names and addresses in canonical form', () => {
    const node = nodeWith(
      { type: 'Hostname', address: 'N1' },
      { type: 'InternalDNS', address: 'n1.internal.' },
      { type: 'ExternalDNS', address: 'n1.example.com' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: 'FD00:0::0001' },
      { type: 'ExternalIP', address: '::ffff:192.0.2.1' },
    )
    expect(namesOf(node)).toEqual([
      'dns:n1',
      'dns:n1.internal',
      'dns:n1.example.com',
      'ip:10.0.0.1',
      'ip:fd00::1',
      'ip:192.0.2.1',
    ])
  })

  it('include a hostname that is an address, and no invalid address', () => {
    const node = nodeWith(
      { type: 'Hostname', address: '10.0.0.2' },
      { type: 'InternalIP', address: 'n1' },
      { type: 'InternalIP', address: 'fe80::1%eth0' },
      { type: 'Other', address: '10.0.0.3' },
    )
    expect(namesOf(node)).toEqual(['ip:10.0.0.2'])
    expect(namesOf({ metadata: { name: 'n1' } })).toEqual([])
  })

  it('never mix up names and addresses', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(canonicalName(text).startsWith('dns:')).toBe(true)
        expect(canonicalAddress(text) ?? 'ip:').toMatch(/^ip:/)
      }),
    )
  })

  it('are the same for every notation of an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const same = canonicalAddress(address)
        fc.pre(same !== undefined)
        expect(canonicalAddress(address.toUpperCase())).toBe(same)
        expect(canonicalAddress(same.slice('ip:'.length))).toBe(same)
      }),
    )
  })

  it.each(['n1', 'svc.example.com', 'kubernetes.example.com', '10.0.0.1', 'fd00::1', '1.127.0.0'])(
    'may include %s',
    (name) => {
      expect(isReservedName(name)).toBe(false)
    },
  )

  it.each(['', 'LOCALHOST', 'a.b.svc', 'a.b.svc.cluster.local.', '*', '127.9.9.9', '::', '::1'])(
    'never include %s',
    (name) => {
      expect(isReservedName(name)).toBe(true)
    },
  )
})

describe('a running Node', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const ready = (status: 'True' | 'False' | 'Unknown', lastHeartbeatTime?: string): Node => ({
    metadata: { name: 'n1' },
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'True' },
        { type: 'Ready', status, ...(lastHeartbeatTime && { lastHeartbeatTime }) },
      ],
    },
  })

  it.each([
    ['is Ready with a recent heartbeat', ready('True', '2026-01-01T11:50:00Z'), true],
    ['is Ready, and its clock is ahead', ready('True', '2026-03-01T00:00:00Z'), true],
    ['is Ready without a heartbeat time', ready('True'), true],
    ['is not one with an old heartbeat', ready('True', '2026-01-01T11:49:59Z'), false],
    ['is not one that is NotReady', ready('False', '2026-01-01T12:00:00Z'), false],
    ['is not one with an unknown state', ready('Unknown', '2026-01-01T12:00:00Z'), false],
    ['is not one without conditions', { metadata: { name: 'n1' } }, false],
  ])('%s', (_name, node, alive) => {
    expect(isAlive(node, now)).toBe(alive)
  })
})
