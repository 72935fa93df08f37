import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/resources.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { Node } from '@machinist/kube/kinds/core'
import { Evidence } from './evidence.ts'
import type { Question } from '../../fleet/rotation/node-told.ts'
import { nodeInBrief } from '../node-cache.ts'
import { trustsInBrief } from '../../fleet/rotation/node-told.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const minute = 60_000
const question: Question = {
  item: 'kubelet-client-ca',
  authority: { fingerprint: 'new', notBefore: start },
  settleMs: 2 * minute,
  desired: new Set(['new', 'newer', 'given']),
  former: new Set(),
}

/** Nodes, and what they told, as caches have them. */
class Fleet {
  readonly evidence: Evidence
  readonly #nodes = new Map<string, Node>()
  readonly #trusts = new Map<string, NodeTrust>()
  readonly #brief = trustsInBrief()

  constructor() {
    this.evidence = new Evidence({
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
    this.#nodes.set(name, nodeInBrief(node))
    this.evidence.heard(name, now)
  }

  leave(name: string, now = start): void {
    this.#nodes.delete(name)
    this.evidence.heard(name, now)
  }

  tell(
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
    const told = { name: 'kubelet-client-ca', state: 'Current', certificates, ...item } as const
    const ownerReferences = owner ? [{ apiVersion: 'v1', kind: 'Node', name, uid: owner }] : []
    const metadata = { name, ownerReferences }
    this.#trusts.set(name, this.#brief({ metadata, status: { items: [told] } }))
    this.evidence.heard(name, now)
  }

  facts(now = start): ReturnType<Evidence['facts']> {
    return this.evidence.facts(now)
  }
}

const fleet = (...names: readonly string[]): Fleet => {
  const made = new Fleet()
  for (const name of names) made.join(name)
  made.evidence.ask(question, [], start)
  return made
}

describe('who trusts the current CA', () => {
  it('a clock of the signer that was ahead and is set back delays nodes by one settle time at most', () => {
    const made = fleet('a')
    const ahead = start + 300 * minute
    made.tell('a', ['new'], { writtenAt: timestamp(start) }, ahead)
    expect(made.facts(ahead)).toMatchObject({ settling: 1, settlesAt: ahead + 2 * minute })
    expect(made.facts(start)).toMatchObject({ settling: 1, settlesAt: start + 2 * minute })
    expect(made.facts(start + 2 * minute)).toMatchObject({ settling: 0, trusting: 1 })
  })

  it('those who list it, once they have had time to load it', () => {
    const made = fleet('a', 'b')
    made.tell('a', ['old', 'new'], { writtenAt: timestamp(start) })
    expect(made.facts(start + minute)).toMatchObject({
      total: 2,
      trusting: 0,
      settling: 1,
      settlesAt: start + 2 * minute,
      lacking: 1,
    })
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1, settling: 0, lacking: 1 })
  })

  it('not those who wrote it with a clock that is ahead any later than others', () => {
    const made = fleet('a')
    made.tell('a', ['new'], { writtenAt: '2031-01-01T00:00:00Z' })
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
  })

  it('not those any sooner whose clock is behind: what came just now is new', () => {
    const made = fleet('a')
    const late = start + 60 * minute
    made.tell('a', ['old'], {}, late)
    made.tell('a', ['old', 'new'], { writtenAt: timestamp(start + minute) }, late)
    expect(made.facts(late + 2 * minute - 1)).toMatchObject({ trusting: 0, settling: 1 })
    expect(made.facts(late + 2 * minute)).toMatchObject({ trusting: 1 })
  })

  it.each([{}, { writtenAt: timestamp(start - minute) }])(
    'those who do not say when they wrote it (%j), after they were first heard of',
    (item) => {
      const made = fleet('a')
      const late = start + 60 * minute
      made.tell('a', ['old', 'new'], item, late)
      expect(made.facts(late)).toMatchObject({ trusting: 0, settling: 1 })
      // Whatever else they have to tell meanwhile does not put it off.
      made.tell('a', ['old', 'new', 'foreign'], item, late + minute)
      expect(made.facts(late + 2 * minute - 1)).toMatchObject({ trusting: 0 })
      expect(made.facts(late + 2 * minute)).toMatchObject({ trusting: 1, settling: 0 })
    },
  )

  it('of the API server, those whose kubelet runs with it, and from then on', () => {
    const made = fleet('a')
    made.evidence.ask({ ...question, item: 'api-server-ca' }, [], start)
    const item = { name: 'api-server-ca', writtenAt: timestamp(start - 60 * minute) }
    const message = 'the kubelet has to be restarted'
    made.tell('a', ['new'], { ...item, state: 'Lagging', message })
    expect(made.facts(start + 60 * minute)).toMatchObject({
      lacking: 1,
      laggards: [{ name: 'a', since: start, why: message }],
    })
    made.tell('a', ['new'], { ...item, state: 'Current' })
    expect(made.facts()).toMatchObject({ trusting: 1 })
    made.tell('a', ['new', 'newer'], { ...item, state: 'Lagging', message })
    expect(made.facts()).toMatchObject({ trusting: 1 })
    made.tell('a', ['newer'], { ...item, state: 'Current' })
    expect(made.facts()).toMatchObject({ trusting: 0, lacking: 1 })
  })

  it('not a machine that took the name of one that did', () => {
    const made = fleet('a')
    const second = { metadata: { name: 'a', uid: '2' } }
    made.tell('a', ['new', 'old'], {}, start, '1')
    made.leave('a')
    made.join('a', second)
    expect(made.facts(start + 60 * minute)).toMatchObject({
      lacking: 1,
      holdingOld: 0,
      laggards: [{ why: 'has told nothing yet: what its NodeTrust says is of a former Node' }],
    })
    made.tell('a', ['new'], {}, start, '2')
    expect(made.facts(start + 60 * minute)).toMatchObject({ trusting: 1 })
  })

  it('those who have had as long as is wanted now', () => {
    const made = fleet('a', 'b')
    made.tell('a', ['new'], { writtenAt: timestamp(start) })
    made.tell('b', ['new'])
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 2 })
    made.evidence.ask({ ...question, settleMs: 10 * minute }, [], start + 3 * minute)
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 0, settling: 2 })
    expect(made.facts(start + 10 * minute)).toMatchObject({ trusting: 1, settling: 1 })
    expect(made.facts(start + 13 * minute)).toMatchObject({ trusting: 2 })
  })

  it('those who had it are not counted anew when others are excused, but are for another item', () => {
    const made = fleet('a', 'b')
    made.tell('a', ['new'])
    expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
    made.evidence.ask(question, ['b'], start + 3 * minute)
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 1, lacking: 0 })
    const item = 'api-server-ca'
    made.evidence.ask({ ...question, item }, [], start + 4 * minute)
    made.tell('a', ['new'], { name: item, state: 'Lagging' }, start + 4 * minute)
    expect(made.facts(start + 9 * minute)).toMatchObject({ trusting: 0, lacking: 2 })
  })

  it('what a node told about something else does not count', () => {
    const made = fleet('a')
    made.tell('a', ['new'], { name: 'api-server-ca' })
    expect(made.facts(start + 60 * minute)).toMatchObject({ lacking: 1 })
  })
})

it('tells whether news change anything: most are but a sign of life', () => {
  const made = fleet('a')
  const heard = (now: number): boolean => made.evidence.heard('a', now)
  expect(heard(start)).toBe(false)
  made.tell('a', ['new', 'old'])
  expect(heard(start + minute)).toBe(false)
  expect(made.facts(start + 2 * minute)).toMatchObject({ trusting: 1 })
  expect(heard(start + 3 * minute)).toBe(false)
  made.join('a', { metadata: { name: 'a', labels: { 'kubernetes.io/os': 'windows' } } })
  expect(heard(start + 3 * minute)).toBe(false)
  expect(made.evidence.heard('nobody', start)).toBe(false)
})

describe('who is waited for', () => {
  it('all but Windows machines and those that are gone, with why and since when', () => {
    const made = fleet('told nothing')
    made.join('off', {
      status: {
        conditions: [
          { type: 'Ready', status: 'Unknown', lastTransitionTime: '2025-12-31T00:00:00Z' },
        ],
      },
    })
    made.join('late', { metadata: { name: 'late', creationTimestamp: '2026-01-02T00:00:00Z' } })
    made.join('lagging')
    made.tell('lagging', ['old'], { message: 'it is yet to be written' })
    made.join('windows', {
      metadata: { name: 'windows', labels: { 'kubernetes.io/os': 'windows' } },
    })
    made.join('gone')
    made.leave('gone')
    expect(made.facts()).toMatchObject({ total: 4, lacking: 4 })
    expect(made.facts().laggards).toEqual([
      { name: 'lagging', since: start, why: 'it is yet to be written' },
      { name: 'off', since: start, why: 'NotReady since 2025-12-31T00:00:00Z' },
      { name: 'told nothing', since: start, why: 'has told nothing yet' },
      { name: 'late', since: start + 24 * 60 * minute, why: 'has told nothing yet' },
    ])
  })

  it('not those that are excused, whatever they hold', () => {
    const made = fleet('a', 'b')
    made.tell('a', ['old'])
    made.evidence.ask(question, ['a', 'nobody'], start)
    expect(made.facts()).toMatchObject({
      total: 2,
      excused: 1,
      lacking: 1,
      holdingOld: 0,
      laggards: [{ name: 'b' }],
    })
  })

  it('those that hold a CA that is not to be there are known by its fingerprint, whatever its name', () => {
    const made = fleet('a', 'b', 'c')
    made.tell('a', ['new', 'old'])
    made.tell('b', ['new', 'given'])
    made.tell('c', ['new'])
    expect(made.facts(start + 3 * minute)).toMatchObject({
      trusting: 3,
      holdingOld: 1,
      holders: [{ name: 'a', why: 'still holds a CA that is no longer published' }],
    })
  })

  it('where it is not known what nodes are to hold, those with a CA that left the bundle hold too much', () => {
    const made = fleet('a', 'b')
    const unknown = { ...question, desired: undefined, former: new Set(['old']) }
    made.evidence.ask(unknown, [], start)
    made.tell('a', ['new', 'stranger'])
    made.tell('b', ['new', 'old'])
    expect(made.facts(start + 3 * minute)).toMatchObject({
      trusting: 2,
      holdingOld: 1,
      holders: [{ name: 'b' }],
    })
  })

  it('counts anew when another CA signs', () => {
    const made = fleet('a', 'b')
    made.tell('a', ['new', 'newer'])
    expect(made.facts(start + 3 * minute)).toMatchObject({ trusting: 1, lacking: 1 })
    const authority = { fingerprint: 'newer', notBefore: start + 5 * minute }
    made.evidence.ask({ ...question, authority }, [], start + 5 * minute)
    expect(made.facts(start + 6 * minute)).toMatchObject({ trusting: 0, settling: 1, lacking: 1 })
    expect(made.facts(start + 7 * minute)).toMatchObject({ trusting: 1 })
  })
})

it('counts the same, in whatever order it hears of things', () => {
  const deed = fc.record({
    node: fc.constantFrom('a', 'b', 'c', 'd'),
    does: fc.constantFrom('join', 'leave', 'tell', 'tell old', 'windows'),
    excused: fc.subarray(['a', 'b']),
  })
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 30 }), (deeds) => {
      const made = fleet()
      for (const [i, { node, does, excused }] of deeds.entries()) {
        const now = start + i * minute
        const metadata = { name: node, labels: { 'kubernetes.io/os': 'windows' } }
        if (does === 'join') made.join(node, {}, now)
        else if (does === 'windows') made.join(node, { metadata }, now)
        else if (does === 'leave') made.leave(node, now)
        else
          made.tell(node, does === 'tell' ? ['new'] : ['old'], { writtenAt: timestamp(now) }, now)
        made.evidence.ask(question, excused, now)
      }
      const late = start + 100 * minute
      const counted = made.facts(late)
      // Somebody who asks for the first time is told the same.
      made.evidence.ask({ ...question, authority: { fingerprint: '', notBefore: 0 } }, [], late)
      made.evidence.ask(question, deeds.at(-1)?.excused ?? [], late)
      expect(made.facts(late)).toEqual(counted)
      const { total, trusting, lacking, settling, excused } = counted
      expect(settling).toBe(0)
      expect(trusting + lacking).toBeLessThanOrEqual(total)
      expect(trusting + lacking + excused).toBeGreaterThanOrEqual(total)
    }),
    { numRuns: 200 },
  )
})
