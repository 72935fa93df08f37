import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { Claim } from './claim.ts'
import type { Decision, Facts } from './decide.ts'
import { decide } from './decide.ts'
import { namesOf } from './node-names.ts'
import type { Rule } from './rules.ts'
import { explained, rules } from './rules.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000

const node = (status: 'True' | 'False' = 'True'): Node => ({
  metadata: { name: 'n1' },
  status: {
    addresses: [
      { type: 'Hostname', address: 'n1' },
      { type: 'InternalIP', address: '10.0.0.1' },
    ],
    conditions: [{ type: 'Ready', status, lastHeartbeatTime: '2026-01-01T11:59:00Z' }],
  },
})

const claims = {
  join: { kind: 'join', node: 'n1', names: [] },
  renewal: { kind: 'renewal', node: 'n1', names: [] },
  serving: { kind: 'serving', node: 'n1', names: ['dns:n1', 'ip:10.0.0.1'] },
} as const satisfies Record<string, Claim>

const given = (reading: Facts['reading'], more: Partial<Facts> = {}): Decision =>
  decide({
    reading,
    createdAt: now,
    now,
    waiting: 1,
    nodes: 3,
    newer: undefined,
    node: 'kind' in reading && reading.kind === 'join' ? undefined : node(),
    sharers: [],
    isAllowed: true,
    ...more,
  })

const left = (rule: string, why: string): object => ({
  is: 'left',
  refusal: { rule, why, isFinal: false },
})

describe('what is approved', () => {
  it.each([
    ['join', 'A bootstrapper that may asks for a node, and no living node has this name.'],
    ['renewal', 'A node asks for its own next certificate.'],
    ['serving', 'A node asks for a certificate with its own names and addresses.'],
  ] as const)('%s', (kind, message) => {
    expect(given(claims[kind])).toEqual({ is: 'approved', claim: claims[kind], message })
  })

  it('a node that comes back after a long shutdown', () => {
    expect(given(claims.join, { node: node('False') }).is).toBe('approved')
    const later = now + 11 * minute
    expect(given(claims.join, { node: node(), now: later, createdAt: later }).is).toBe('approved')
  })

  it('some of the names are enough', () => {
    expect(given({ ...claims.serving, names: ['ip:10.0.0.1'] }).is).toBe('approved')
  })

  it('serving needs no right of the requester', () => {
    expect(given(claims.serving, { isAllowed: false }).is).toBe('approved')
  })
})

describe('rights', () => {
  it('are asked for when everything else is right', () => {
    const unasked = { isAllowed: undefined } as unknown as Partial<Facts>
    expect(given(claims.join, unasked)).toEqual({ is: 'asked', permission: 'nodeclient' })
    expect(given(claims.renewal, unasked)).toEqual({ is: 'asked', permission: 'selfnodeclient' })
    expect(given(claims.renewal, { ...unasked, newer: 'csr-2' })).toMatchObject({ is: 'left' })
  })

  it('are missing', () => {
    expect(given(claims.join, { isAllowed: false })).toEqual(
      left(
        'Rights',
        "the cluster's RBAC does not let the requester create certificatesigningrequests/nodeclient",
      ),
    )
    expect(given(claims.renewal, { isAllowed: false })).toMatchObject({
      refusal: { why: expect.stringMatching(/\/selfnodeclient$/) },
    })
  })
})

describe('time', () => {
  it('an hour is not too old', () => {
    expect(given(claims.renewal, { createdAt: now - 60 * minute }).is).toBe('approved')
    expect(given(claims.renewal, { createdAt: now - 90 * minute })).toEqual(
      left('TooOld', 'it was made 1.5 h ago, and after 1 h nobody waits for it'),
    )
  })

  it('five minutes are not too far ahead', () => {
    expect(given(claims.renewal, { createdAt: now + 5 * minute }).is).toBe('approved')
    expect(given(claims.renewal, { createdAt: now + 6 * minute })).toEqual(
      left('FromTheFuture', "it was made 6 min ahead of the signer's clock"),
    )
  })

  it('a newer one takes its place', () => {
    expect(given(claims.serving, { newer: 'csr-2' })).toEqual(
      left('NotTheNewest', 'csr-2 asks for the same later'),
    )
  })
})

describe('Nodes', () => {
  it('one that lives does not join', () => {
    expect(given(claims.join, { node: node() })).toEqual(
      left('NodeAlive', 'a bootstrapper asks for Node n1, which is there and Ready'),
    )
  })

  it.each(['renewal', 'serving'] as const)('one that is not there: %s', (kind) => {
    const none = { node: undefined } as unknown as Partial<Facts>
    expect(given(claims[kind], none)).toEqual(left('NodeUnknown', 'there is no Node n1'))
  })

  it('names that it does not have', () => {
    const names = ['dns:n1', 'dns:n2', 'ip:10.0.0.2', 'dns:10.0.0.1']
    expect(given({ ...claims.serving, names })).toEqual(
      left(
        'Addresses',
        'it asks for "n2", "10.0.0.2", "10.0.0.1", which Node n1 does not list in its addresses',
      ),
    )
  })

  it('names that others have, too', () => {
    const sharers = [{ name: 'ip:10.0.0.1', owner: 'Service default/kubernetes' }]
    expect(given(claims.serving, { sharers })).toEqual(
      left('SharedAddresses', '"10.0.0.1" also belongs to Service default/kubernetes'),
    )
  })
})

describe('a flood', () => {
  it('stops everything, whatever else is wrong', () => {
    expect(given(claims.renewal, { waiting: 103 }).is).toBe('approved')
    const flood = left(
      'TooMany',
      '104 requests of kubelets wait, more than 103 (nodes and 100), so none is approved',
    )
    expect(given(claims.renewal, { waiting: 104 })).toEqual(flood)
    const bad = { rule: 'Subject', why: 'no node', isFinal: true } as const
    expect(given(bad, { waiting: 104 })).toEqual(flood)
    expect(given(bad)).toEqual({ is: 'left', refusal: bad })
  })
})

describe('explanations', () => {
  it('name the rule, what is wrong and what to do', () => {
    const refusal = { rule: 'NodeUnknown', why: 'there is no Node n1', isFinal: false } as const
    expect(explained(refusal, 'csr-1')).toBe(
      'NodeUnknown: there is no Node n1; see whether the kubelet has registered its Node. If you know that it is right: kubectl certificate approve csr-1',
    )
  })

  it('fit into an event', () => {
    const longest = (rule: Rule): number =>
      explained({ rule, why: 'x'.repeat(700), isFinal: true }, 'n'.repeat(63)).length
    expect(rules.map(longest).every((length) => length < 1024)).toBe(true)
  })
})

describe('whatever the facts', () => {
  const name = fc.constantFrom('dns:n1', 'dns:n2', 'dns:evil', 'ip:10.0.0.1', 'ip:10.0.0.2')
  const facts = fc.record({
    reading: fc.record({
      kind: fc.constantFrom('join' as const, 'renewal' as const, 'serving' as const),
      node: fc.constant('n1'),
      names: fc.array(name, { maxLength: 3 }),
    }),
    createdAt: fc.integer({ min: now - 120 * minute, max: now + 20 * minute }),
    now: fc.constant(now),
    waiting: fc.integer({ min: 1, max: 110 }),
    nodes: fc.integer({ min: 0, max: 5 }),
    newer: fc.option(fc.constant('csr-2'), { nil: undefined }),
    node: fc.option(
      fc.constantFrom('True', 'False').map((status) => node(status as 'True')),
      { nil: undefined },
    ),
    sharers: fc.constantFrom([], [{ name: 'ip:10.0.0.1', owner: 'Node n2' }]),
    isAllowed: fc.boolean(),
  })

  /** Told anew, in other words than the rules. */
  function isSafe(one: Facts & { reading: Claim }): boolean {
    const { reading, createdAt, newer, waiting, nodes, sharers, isAllowed } = one
    const isAlive = one.node?.status?.conditions?.[0]?.status === 'True'
    const own = one.node ? namesOf(one.node) : []
    const isTimely = createdAt >= now - 60 * minute && createdAt <= now + 5 * minute
    if (!isTimely || newer !== undefined || waiting > nodes + 100) return false
    if (reading.kind === 'join') return isAllowed === true && !isAlive
    if (reading.kind === 'renewal') return isAllowed === true && one.node !== undefined
    const isOwn = reading.names.every((each) => own.includes(each))
    return one.node !== undefined && isOwn && sharers.length === 0
  }

  it('approved is what is safe, and nothing else', () => {
    fc.assert(
      fc.property(facts, (one) => {
        expect(decide(one).is).toBe(isSafe(one) ? 'approved' : 'left')
      }),
      { numRuns: 1000 },
    )
  })
})
