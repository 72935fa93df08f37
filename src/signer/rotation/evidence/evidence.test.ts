import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timestamp } from '@machinist/core/timestamp'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeTrustItem } from '../../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../../api/kinds/resources.ts'
import type { TrustQuery } from '../../../fleet/rotation/node-report.ts'
import { trimNode } from '../../nodes/node-cache.ts'
import { trimNodeTrusts } from '../../../fleet/rotation/node-report.ts'
import { AuthorityEvidence } from './evidence.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const minute = 60_000
const question: TrustQuery = {
  item: 'kubelet-client-ca',
  authority: { fingerprint: 'new', notBefore: start },
  settleMs: 2 * minute,
  desired: new Set(['new', 'newer', 'given']),
  former: new Set(),
}

/** Nodes and their reports, as in the caches. */
class Fleet {
  readonly evidence: AuthorityEvidence
  readonly #nodes = new Map<string, Node>()
  readonly #trusts = new Map<string, NodeTrust>()
  readonly #brief = trimNodeTrusts()

  constructor() {
    this.evidence = new AuthorityEvidence({
      nodes: {
        get: (key) => this.#nodes.get(key as string),
        list: () => [...this.#nodes.values()],
      },
      nodeTrusts: { get: (key) => this.#trusts.get(key as string) },
    })
  }

  join(name: string, changes: Partial<Node> = {}, now = start): void {
    const node: Node = {
      metadata: { name, creationTimestamp: timestamp(start - minute) },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
      ...changes,
    }
    this.#nodes.set(name, trimNode(node))
    this.evidence.nodeChanged(name, now)
  }

  leave(name: string, now = start): void {
    this.#nodes.delete(name)
    this.evidence.nodeChanged(name, now)
  }

  report(
    name: string,
    fingerprints: readonly string[],
    item: Partial<NodeTrustItem> = {},
    now = start,
    owner?: string,
  ): void {
    const certificates = fingerprints.map((fingerprint) => ({
      fingerprint,
      subject: 'CN=kubernetes',
      notAfter: '2027-01-01T00:00:00Z',
    }))
    const reported = { name: 'kubelet-client-ca', state: 'Current', certificates, ...item } as const
    const ownerReferences = owner ? [{ apiVersion: 'v1', kind: 'Node', name, uid: owner }] : []
    const metadata = { name, ownerReferences }
    this.#trusts.set(name, this.#brief({ metadata, status: { items: [reported] } }))
    this.evidence.nodeChanged(name, now)
  }

  facts(now = start): ReturnType<AuthorityEvidence['facts']> {
    return this.evidence.facts(now)
  }
}

const fleet = (...names: readonly string[]): Fleet => {
  const made = new Fleet()
  for (const name of names) made.join(name)
  made.evidence.ask(question, [], start)
  return made
}

describe('a node trusts the current CA', () => {
  it('at most one settle time later if the clock of the signer was ahead and is set back', () => {
    const made = fleet('a')
    const ahead = start + 300 * minute
    made.report('a', ['new'], { writtenAt: timestamp(start) }, ahead)
    expect(made.facts(ahead)).toMatchObject({ settling: 1, settlesAt: ahead + 2 * minute })
    expect(made.facts(start)).toMatchObject({ settling: 1, settlesAt: start + 2 * minute })
    expect(made.facts(start + 2 * minute)).toMatchObject({ settling: 0, trusting: 1 })
  })

  it('if it lists the CA and has had time to load it', () => {
    const made = fleet('a', 'b')
    made.report('a', ['old', 'new'], { writtenAt: timestamp(start) })
    expect(made.facts(start + minute)).toMatchObject({
      total: 2,
      trusting: 0,
      settling: 1,
      settlesAt: start + 2 * minute,
      lacking: 1,
    })
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1, settling: 0, lacking: 1 })
  })

  it('not later if its clock is ahead', () => {
    const made = fleet('a')
    made.report('a', ['new'], { writtenAt: '2031-01-01T00:00:00Z' })
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
  })

  it('not sooner if its clock is behind, because a CA that was reported just now is new', () => {
    const made = fleet('a')
    const late = start + 60 * minute
    made.report('a', ['old'], {}, late)
    made.report('a', ['old', 'new'], { writtenAt: timestamp(start + minute) }, late)
    expect(made.facts(late + 2 * minute - 1)).toMatchObject({ trusting: 0, settling: 1 })
    expect(made.facts(late + 2 * minute)).toMatchObject({ trusting: 1 })
  })

  it.each([{}, { writtenAt: timestamp(start - minute) }])(
    'one settle time after its first report if the report has no time (%j)',
    (item) => {
      const made = fleet('a')
      const late = start + 60 * minute
      made.report('a', ['old', 'new'], item, late)
      expect(made.facts(late)).toMatchObject({ trusting: 0, settling: 1 })
      // Other changes in its report do not delay it.
      made.report('a', ['old', 'new', 'foreign'], item, late + minute)
      expect(made.facts(late + 2 * minute - 1)).toMatchObject({ trusting: 0 })
      expect(made.facts(late + 2 * minute)).toMatchObject({ trusting: 1, settling: 0 })
    },
  )

  it('of the API server as soon as its kubelet has loaded the CA', () => {
    const made = fleet('a')
    made.evidence.ask({ ...question, item: 'api-server-ca' }, [], start)
    const item = { name: 'api-server-ca', writtenAt: timestamp(start - 60 * minute) }
    const message = 'the kubelet must be restarted'
    made.report('a', ['new'], { ...item, state: 'Lagging', message })
    expect(made.facts(start + 60 * minute)).toMatchObject({
      lacking: 1,
      laggards: [{ name: 'a', since: start, why: message }],
    })
    made.report('a', ['new'], { ...item, state: 'Current' })
    expect(made.facts()).toMatchObject({ trusting: 1 })
    made.report('a', ['new', 'newer'], { ...item, state: 'Lagging', message })
    expect(made.facts()).toMatchObject({ trusting: 1 })
    made.report('a', ['newer'], { ...item, state: 'Current' })
    expect(made.facts()).toMatchObject({ trusting: 0, lacking: 1 })
  })

  it('of the API server no longer if its kubelet runs without the CA', () => {
    const made = fleet('a')
    made.evidence.ask({ ...question, item: 'api-server-ca' }, [], start)
    const item = { name: 'api-server-ca', writtenAt: timestamp(start) }
    made.report('a', ['new'], { ...item, state: 'Current' })
    expect(made.facts()).toMatchObject({ trusting: 1 })
    const certificate = {
      fingerprint: 'new',
      subject: 'CN=new',
      notAfter: timestamp(start + minute),
    }
    const certificates = [{ ...certificate, loaded: false }]
    made.report('a', [], { ...item, state: 'Lagging', certificates })
    expect(made.facts()).toMatchObject({ trusting: 0, lacking: 1 })
    made.report('a', [], { ...item, state: 'Current', certificates: [certificate] })
    expect(made.facts()).toMatchObject({ trusting: 1, lacking: 0 })
  })

  it('not because of the report of a former Node of the same name', () => {
    const made = fleet('a')
    const second = { metadata: { name: 'a', uid: '2' } }
    made.report('a', ['new', 'old'], {}, start, '1')
    made.leave('a')
    made.join('a', second)
    expect(made.facts(start + 60 * minute)).toMatchObject({
      lacking: 1,
      holdingOld: 0,
      laggards: [{ why: 'has not reported yet: its NodeTrust is from a former Node of that name' }],
    })
    made.report('a', ['new'], {}, start, '2')
    expect(made.facts(start + 60 * minute)).toMatchObject({ trusting: 1 })
  })

  it('after the settle time of the current question', () => {
    const made = fleet('a', 'b')
    made.report('a', ['new'], { writtenAt: timestamp(start) })
    made.report('b', ['new'])
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 2 })
    made.evidence.ask({ ...question, settleMs: 10 * minute }, [], start + 3 * minute)
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 0, settling: 2 })
    expect(made.facts(start + 10 * minute)).toMatchObject({ trusting: 1, settling: 1 })
    expect(made.facts(start + 13 * minute)).toMatchObject({ trusting: 2 })
  })

  it('without settling again when other nodes are excused, but not for another item', () => {
    const made = fleet('a', 'b')
    made.report('a', ['new'])
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
    made.evidence.ask(question, ['b'], start + 3 * minute)
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 1, lacking: 0 })
    const item = 'api-server-ca'
    made.evidence.ask({ ...question, item }, [], start + 4 * minute)
    made.report('a', ['new'], { name: item, state: 'Lagging' }, start + 4 * minute)
    expect(made.facts(start + 9 * minute)).toMatchObject({ trusting: 0, lacking: 2 })
  })

  it('not because of a report on another item', () => {
    const made = fleet('a')
    made.report('a', ['new'], { name: 'api-server-ca' })
    expect(made.facts(start + 60 * minute)).toMatchObject({ lacking: 1 })
  })
})

it('returns whether a change of a node changes the evidence', () => {
  const made = fleet('a')
  const isChange = (now: number): boolean => made.evidence.nodeChanged('a', now)
  expect(isChange(start)).toBe(false)
  made.report('a', ['new', 'old'])
  expect(isChange(start + minute)).toBe(false)
  expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
  expect(isChange(start + 3 * minute)).toBe(false)
  made.join('a', { metadata: { name: 'a', labels: { 'kubernetes.io/os': 'windows' } } })
  expect(isChange(start + 3 * minute)).toBe(false)
  expect(made.evidence.nodeChanged('unknown', start)).toBe(false)
})

describe('lagging nodes', () => {
  it('are all but Windows nodes and deleted ones, with reason and time', () => {
    const made = fleet('silent')
    made.join('off', {
      status: {
        conditions: [
          { type: 'Ready', status: 'Unknown', lastTransitionTime: '2025-12-31T00:00:00Z' },
        ],
      },
    })
    made.join('late', { metadata: { name: 'late', creationTimestamp: '2026-01-02T00:00:00Z' } })
    made.join('lagging')
    made.report('lagging', ['old'], { message: 'waiting to be written' })
    made.join('windows', {
      metadata: { name: 'windows', labels: { 'kubernetes.io/os': 'windows' } },
    })
    made.join('gone')
    made.leave('gone')
    expect(made.facts()).toMatchObject({ total: 4, lacking: 4 })
    expect(made.facts().laggards).toEqual([
      { name: 'lagging', since: start, why: 'waiting to be written' },
      { name: 'off', since: start, why: 'NotReady since 2025-12-31T00:00:00Z' },
      { name: 'silent', since: start, why: 'has not reported yet' },
      { name: 'late', since: start + 24 * 60 * minute, why: 'has not reported yet' },
    ])
  })

  it('are not the excused ones, whatever CAs they have', () => {
    const made = fleet('a', 'b')
    made.report('a', ['old'])
    made.evidence.ask(question, ['a', 'unknown'], start)
    expect(made.facts()).toMatchObject({
      total: 2,
      excused: 1,
      lacking: 1,
      holdingOld: 0,
      laggards: [{ name: 'b' }],
    })
  })

  it('include holders of a CA that is no longer desired, by its fingerprint', () => {
    const made = fleet('a', 'b', 'c')
    made.report('a', ['new', 'old'])
    made.report('b', ['new', 'given'])
    made.report('c', ['new'])
    expect(made.facts(start + 3 * minute)).toMatchObject({
      trusting: 3,
      holdingOld: 1,
      holders: [{ name: 'a', why: 'still has a CA that is no longer published' }],
    })
  })

  it('include holders of a CA that was removed from the bundle if the desired CAs are unknown', () => {
    const made = fleet('a', 'b')
    const unknown = { ...question, desired: undefined, former: new Set(['old']) }
    made.evidence.ask(unknown, [], start)
    made.report('a', ['new', 'stranger'])
    made.report('b', ['new', 'old'])
    expect(made.facts(start + 3 * minute)).toMatchObject({
      trusting: 2,
      holdingOld: 1,
      holders: [{ name: 'b' }],
    })
  })

  it('are counted again for another CA', () => {
    const made = fleet('a', 'b')
    made.report('a', ['new', 'newer'])
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 1, lacking: 1 })
    const authority = { fingerprint: 'newer', notBefore: start + 5 * minute }
    made.evidence.ask({ ...question, authority }, [], start + 5 * minute)
    expect(made.facts(start + 6 * minute)).toMatchObject({ trusting: 0, settling: 1, lacking: 1 })
    expect(made.facts(start + 7 * minute)).toMatchObject({ trusting: 1 })
  })
})

it('the counts do not depend on the order of changes', () => {
  const event = fc.record({
    node: fc.constantFrom('a', 'b', 'c', 'd'),
    does: fc.constantFrom('join', 'leave', 'report', 'report old', 'windows'),
    excused: fc.subarray(['a', 'b']),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const made = fleet()
      for (const [i, { node, does, excused }] of events.entries()) {
        const now = start + i * minute
        const metadata = { name: node, labels: { 'kubernetes.io/os': 'windows' } }
        if (does === 'join') made.join(node, {}, now)
        else if (does === 'windows') made.join(node, { metadata }, now)
        else if (does === 'leave') made.leave(node, now)
        else
          made.report(
            node,
            does === 'report' ? ['new'] : ['old'],
            { writtenAt: timestamp(now) },
            now,
          )
        made.evidence.ask(question, excused, now)
      }
      const late = start + 100 * minute
      const counted = made.facts(late)
      // A complete evaluation has the same result.
      made.evidence.ask({ ...question, authority: { fingerprint: '', notBefore: 0 } }, [], late)
      made.evidence.ask(question, events.at(-1)?.excused ?? [], late)
      expect(made.facts(late)).toEqual(counted)
      const { total, trusting, lacking, settling, excused } = counted
      expect(settling).toBe(0)
      expect(trusting + lacking).toBeLessThanOrEqual(total)
      expect(trusting + lacking + excused).toBeGreaterThanOrEqual(total)
    }),
    { numRuns: 200 },
  )
})
