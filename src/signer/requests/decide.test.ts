import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { Node } from '@machinist/kube/kinds/core'
import { namesOf } from '../nodes/node-names.ts'
import type { Claim } from './claim.ts'
import type { RequestPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { RequestFacts } from './facts.ts'
import type { CheckName } from './refusals.ts'
import { explainRefusal, checkNames } from './refusals.ts'

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

const request = { metadata: { name: 'csr-1' }, spec: {} } as CertificateSigningRequest

const given = (reading: RequestFacts['reading'], more: Partial<RequestFacts> = {}): RequestPlan =>
  decide({
    request,
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

const left = (check: string, why: string): object => ({
  action: 'leave',
  refusal: { check, why, isFinal: false },
})

describe('an approved request', () => {
  it.each([
    [
      'join',
      'A permitted bootstrapper requests a certificate for a node, and no running node has this name.',
    ],
    ['renewal', 'A node requests its own next certificate.'],
    ['serving', 'A node requests a certificate with its own names and addresses.'],
  ] as const)('%s', (kind, message) => {
    expect(given(claims[kind])).toEqual({ action: 'approve', claim: claims[kind], message })
  })

  it('may be of a node that is back after a long shutdown', () => {
    expect(given(claims.join, { node: node('False') }).action).toBe('approve')
    const later = now + 11 * minute
    expect(given(claims.join, { node: node(), now: later, createdAt: later }).action).toBe(
      'approve',
    )
  })

  it('may contain only some of the names', () => {
    expect(given({ ...claims.serving, names: ['ip:10.0.0.1'] }).action).toBe('approve')
  })

  it('for serving needs no permission of the requester', () => {
    expect(given(claims.serving, { isAllowed: false }).action).toBe('approve')
  })
})

describe('permissions', () => {
  it('are checked when all other checks pass', () => {
    const unreviewed = { isAllowed: undefined } as unknown as Partial<RequestFacts>
    expect(given(claims.join, unreviewed)).toEqual({
      action: 'checkPermission',
      permission: 'nodeclient',
    })
    expect(given(claims.renewal, unreviewed)).toEqual({
      action: 'checkPermission',
      permission: 'selfnodeclient',
    })
    expect(given(claims.renewal, { ...unreviewed, newer: 'csr-2' })).toMatchObject({
      action: 'leave',
    })
  })

  it('may be missing', () => {
    expect(given(claims.join, { isAllowed: false })).toEqual(
      left(
        'Rights',
        "the cluster's RBAC does not allow the requester to create certificatesigningrequests/nodeclient",
      ),
    )
    expect(given(claims.renewal, { isAllowed: false })).toMatchObject({
      refusal: { why: expect.stringMatching(/\/selfnodeclient$/) },
    })
  })
})

describe('the age of a request', () => {
  it('may be one hour', () => {
    expect(given(claims.renewal, { createdAt: now - 60 * minute }).action).toBe('approve')
    expect(given(claims.renewal, { createdAt: now - 90 * minute })).toEqual(
      left('TooOld', 'it was created 1.5 h ago, and the limit is 1 h'),
    )
  })

  it('may be five minutes in the future', () => {
    expect(given(claims.renewal, { createdAt: now + 5 * minute }).action).toBe('approve')
    expect(given(claims.renewal, { createdAt: now + 6 * minute })).toEqual(
      left('FromTheFuture', "it was created 6 min ahead of the signer's clock"),
    )
  })

  it('is compared with a newer request', () => {
    expect(given(claims.serving, { newer: 'csr-2' })).toEqual(
      left('NotTheNewest', 'csr-2 is a newer request for the same certificate'),
    )
  })
})

describe('a Node', () => {
  it('that is running does not join', () => {
    expect(given(claims.join, { node: node() })).toEqual(
      left('NodeAlive', 'a bootstrapper requests it for Node n1, which exists and is Ready'),
    )
  })

  it.each(['renewal', 'serving'] as const)('must exist: %s', (kind) => {
    const none = { node: undefined } as unknown as Partial<RequestFacts>
    expect(given(claims[kind], none)).toEqual(left('NodeUnknown', 'Node n1 does not exist'))
  })

  it('must list the requested names', () => {
    const names = ['dns:n1', 'dns:n2', 'ip:10.0.0.2', 'dns:10.0.0.1']
    expect(given({ ...claims.serving, names })).toEqual(
      left(
        'Addresses',
        'it requests "n2", "10.0.0.2", "10.0.0.1", which Node n1 does not list in its addresses',
      ),
    )
  })

  it('must not share the requested names', () => {
    const sharers = [{ name: 'ip:10.0.0.1', owner: 'Service default/kubernetes' }]
    expect(given(claims.serving, { sharers })).toEqual(
      left('SharedAddresses', '"10.0.0.1" also belongs to Service default/kubernetes'),
    )
  })
})

describe('a flood of requests', () => {
  it('stops all approvals', () => {
    expect(given(claims.renewal, { waiting: 103 }).action).toBe('approve')
    const flood = left(
      'TooMany',
      '104 requests of kubelets are pending, more than 103 (nodes and 100), so none is approved',
    )
    expect(given(claims.renewal, { waiting: 104 })).toEqual(flood)
    const bad = { check: 'Subject', why: 'no node', isFinal: true } as const
    expect(given(bad, { waiting: 104 })).toEqual(flood)
    expect(given(bad)).toEqual({ action: 'leave', refusal: bad })
  })
})

describe('an explanation', () => {
  it('names the check, the problem and the remedy', () => {
    const refusal = { check: 'NodeUnknown', why: 'Node n1 does not exist', isFinal: false } as const
    expect(explainRefusal(refusal, 'csr-1')).toBe(
      'NodeUnknown: Node n1 does not exist; check whether the kubelet has registered its Node. If the request is legitimate: kubectl certificate approve csr-1',
    )
  })

  it('fits into an event', () => {
    const longest = (check: CheckName): number =>
      explainRefusal({ check, why: 'x'.repeat(700), isFinal: true }, 'n'.repeat(63)).length
    expect(checkNames.map(longest).every((length) => length < 1024)).toBe(true)
  })
})

describe('any facts', () => {
  const name = fc.constantFrom('dns:n1', 'dns:n2', 'dns:evil', 'ip:10.0.0.1', 'ip:10.0.0.2')
  const facts = fc.record({
    request: fc.constant(request),
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

  /** An independent formulation of the checks. */
  function isSafe(one: RequestFacts & { reading: Claim }): boolean {
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

  it('lead to an approval exactly if it is safe', () => {
    fc.assert(
      fc.property(facts, (one) => {
        expect(decide(one).action).toBe(isSafe(one) ? 'approve' : 'leave')
      }),
      { numRuns: 1000 },
    )
  })
})
