import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSays } from './objects.fixture.ts'
import { nodeThat, owner, podThat } from './objects.fixture.ts'
import { decide } from './decide.ts'
import { podName } from './departures.ts'
import type { Decision, Facts, Move } from './facts.ts'
import { defaultSettings } from './settings.ts'

const began = Date.parse('2026-03-01T12:00:00Z')
const minute = 60_000
const record = '{"request":"drain-x","since":"2026-03-01T12:00:00.000Z"}'
const cordoned: NodeSays = { desired: 'drain-x', unschedulable: true, record }

function facts(says: NodeSays, more: Partial<Facts> = {}): Facts {
  return {
    now: began,
    node: nodeThat(says),
    settings: defaultSettings,
    pods: [],
    missingDaemonSets: new Set(),
    told: [],
    ...more,
  }
}

const nextOf = (says: NodeSays, more: Partial<Facts> = {}): Decision['next'] =>
  decide(facts(says, more)).next

function moveAt(ageMs: number, more: Partial<Facts> = {}): Move {
  const next = nextOf(cordoned, { pods: [podThat('a')], now: began + ageMs, ...more })
  if (next.do !== 'move') throw new Error(`decided to ${next.do}`)
  return next
}

describe('what a drain does next', () => {
  it.each<[string, NodeSays]>([
    ['nothing was ever asked for', {}],
    ['what was asked for is done', { desired: 'drain-x', lastApplied: 'drain-x' }],
    ['an uncordon is asked for', { desired: 'uncordon-x', unschedulable: true }],
  ])('is nothing when %s', (_, says) => {
    expect(nextOf(says)).toEqual({ do: 'nothing' })
  })

  it('is nothing when the node is gone', () => {
    expect(decide(facts({}, { node: undefined }))).toEqual({
      policy: 'node exists',
      why: 'there is no such node',
      next: { do: 'nothing' },
    })
  })

  it('is a complaint when the request has another verb', () => {
    const { policy, why, next } = decide(facts({ desired: 'foo-x' }))
    expect([policy, next]).toEqual(['the request is understood', { do: 'complain' }])
    expect(why).toContain('"foo-x"')
  })

  it.each<[string, NodeSays]>([
    ['the node takes pods', { desired: 'drain-x', lastApplied: '' }],
    ['its beginning is not written down', { desired: 'drain-x', unschedulable: true }],
    ['it was cordoned for another drain', { ...cordoned, desired: 'drain-y' }],
    ['somebody has uncordoned the node meanwhile', { ...cordoned, unschedulable: false }],
  ])('is to cordon when %s, even if no pod is left', (_, says) => {
    const { policy, next } = decide(facts(says))
    expect([policy, next.do]).toEqual(['node is cordoned for it', 'cordon'])
  })

  it('is to wait for a turn before it begins, and not any more when it has begun', () => {
    const without = { poolWithoutTurn: 'worker' }
    expect(decide(facts({ desired: 'drain-x' }, without))).toEqual({
      policy: 'a turn covers it',
      why: 'MachineConfigPool worker has not given this node a turn: the drain begins when its budget (maxUnavailable) allows it.',
      next: { do: 'refuse' },
    })
    expect(nextOf({}, without)).toEqual({ do: 'nothing' })
  })

  it('is to acknowledge when only pods are left that stay', () => {
    const pods = [podThat('logs-1', { owner: owner('DaemonSet', 'logs') })]
    expect(decide(facts(cordoned, { pods }))).toEqual({
      policy: 'drain is acknowledged',
      why: 'the node is cordoned and every pod that has to leave has left',
      next: { do: 'acknowledge', value: 'drain-x' },
    })
  })

  it('is to wait for pods that are on their way, without asking them again', () => {
    const pods = [podThat('a'), podThat('b', { deletionTimestamp: '2026-03-01T12:00:30Z' })]
    const next = moveAt(0, { pods })
    expect(next.pods.map(podName)).toEqual(['shop/a'])
    expect(next.remaining.map(podName)).toEqual(['shop/a', 'shop/b'])
    expect(decide(facts(cordoned, { pods })).why).toBe('2 pods have not left yet')
  })
})

describe('how pods are asked', () => {
  it('is to evict, with their own grace', () => {
    expect(moveAt(0)).toMatchObject({ how: 'evict', resting: false, begins: true, overdue: false })
    expect(moveAt(0)).not.toHaveProperty('graceSeconds')
  })

  it('is not at all while the drain rests', () => {
    expect(moveAt(100_000)).toMatchObject({ pods: [], resting: true, turnsInMs: 50_000 })
    expect(moveAt(150_000)).toMatchObject({ resting: false, begins: true, turnsInMs: 90_000 })
    expect(moveAt(155_000)).toMatchObject({ resting: false, begins: false })
  })

  it('goes on after the timeout, but that is told', () => {
    expect(moveAt(60 * minute)).toMatchObject({ overdue: false })
    // An attempt begins at 600 s + 8 × 390 s.
    expect(moveAt(3720_000)).toMatchObject({ overdue: true, resting: false })
    expect(moveAt(3720_000).pods).toHaveLength(1)
    const settings = { ...defaultSettings, timeoutMs: 5 * minute }
    expect(moveAt(6 * minute, { settings })).toMatchObject({ overdue: true })
  })

  it('is with the grace of the policy', () => {
    const settings = { ...defaultSettings, graceSeconds: 0 }
    expect(moveAt(0, { settings })).toMatchObject({ graceSeconds: 0 })
  })

  it('is to delete them from the deadline on, which a rest does not delay', () => {
    const settings = { ...defaultSettings, forceAfterMs: 2 * minute }
    expect(moveAt(0, { settings })).toMatchObject({ how: 'evict', turnsInMs: 90_000 })
    expect(moveAt(100_000, { settings })).toMatchObject({ how: 'evict', turnsInMs: 20_000 })
    expect(moveAt(2 * minute, { settings })).toMatchObject({
      how: 'delete',
      resting: false,
      turnsInMs: 90_000,
    })
  })

  it('does not break when a clock goes backwards', () => {
    expect(moveAt(-5 * minute)).toMatchObject({ ageMs: 0, resting: false })
  })
})

describe('whatever the facts are', () => {
  const says = fc.record(
    {
      desired: fc.constantFrom('', 'drain-x', 'drain-y', 'uncordon-x', 'foo-x', 'drain'),
      lastApplied: fc.constantFrom('', 'drain-x', 'drain-y', 'uncordon-x'),
      unschedulable: fc.boolean(),
      record: fc.constantFrom(record, record.replace('drain-x', 'drain-y'), 'damaged'),
    },
    { requiredKeys: [] },
  )
  const pod = fc.constantFrom(
    podThat('a'),
    podThat('b', { deletionTimestamp: '2026-03-01T12:00:30Z' }),
    podThat('c', { owner: owner('DaemonSet', 'logs') }),
    podThat('d', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    podThat('e', { labels: { stays: 'yes' } }),
  )
  const more = fc.record({
    pods: fc.uniqueArray(pod, { selector: podName }),
    now: fc.integer({ min: -10, max: 300 }).map((minutes) => began + minutes * minute),
  })

  it('a drain is acknowledged only on a cordoned node without a pod that has to leave', () => {
    fc.assert(
      fc.property(says, more, (said, { pods, now }) => {
        const next = nextOf(said, { pods, now })
        if (next.do !== 'acknowledge') return
        expect(said.unschedulable).toBe(true)
        expect(next.value).toBe(said.desired)
        expect(pods.map(podName).filter((name) => /[abe]$/.test(name))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('pods are asked to leave only on a cordoned node whose drain is written down', () => {
    fc.assert(
      fc.property(says, more, (said, facts) => {
        const next = nextOf(said, facts)
        if (next.do !== 'move') return
        expect([said.unschedulable, said.desired?.startsWith('drain-')]).toEqual([true, true])
        expect(JSON.parse(said.record ?? '')).toMatchObject({ request: said.desired })
        expect(next.pods.every((one) => next.remaining.includes(one))).toBe(true)
        expect(next.turnsInMs).toBeGreaterThan(0)
      }),
      { numRuns: 1000 },
    )
  })
})
