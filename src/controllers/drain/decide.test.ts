import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSketch } from './objects.fixture.ts'
import { nodeWith, owner, podWith } from './objects.fixture.ts'
import type { DrainPlan, EvictionStep } from './decide.ts'
import { decide } from './decide.ts'
import { podName } from './pods-to-evict.ts'
import type { DrainFacts } from './facts.ts'
import { defaultSettings } from './settings.ts'

const began = Date.parse('2026-03-01T12:00:00Z')
const minute = 60_000
const record = '{"request":"drain-x","since":"2026-03-01T12:00:00.000Z"}'
const cordoned: NodeSketch = { desired: 'drain-x', unschedulable: true, record }

function facts(sketch: NodeSketch, more: Partial<DrainFacts> = {}): DrainFacts {
  return {
    now: began,
    node: nodeWith(sketch),
    settings: defaultSettings,
    pods: [],
    missingDaemonSets: new Set(),
    reported: [],
    ...more,
  }
}

const nextOf = (sketch: NodeSketch, more: Partial<DrainFacts> = {}): DrainPlan['next'] =>
  decide(facts(sketch, more)).next

function stepAt(ageMs: number, more: Partial<DrainFacts> = {}): EvictionStep {
  const next = nextOf(cordoned, { pods: [podWith('a')], now: began + ageMs, ...more })
  if (next.action !== 'evict') throw new Error(`decided to ${next.action}`)
  return next
}

describe('the next step of a drain', () => {
  it.each<[string, NodeSketch]>([
    ['nothing is requested', {}],
    ['the request is acknowledged', { desired: 'drain-x', lastApplied: 'drain-x' }],
    ['an uncordon is requested', { desired: 'uncordon-x', unschedulable: true }],
  ])('is nothing if %s', (_, sketch) => {
    expect(nextOf(sketch)).toEqual({ action: 'nothing' })
  })

  it.each<[string, NodeSketch]>([
    ['before the drain begins', { desired: 'drain-x' }],
    ['on a cordoned node, which seems to have no pods', cordoned],
  ])('is to fail if facts could not be read, %s', (_, sketch) => {
    const readFailure = new Error('no')
    expect(decide(facts(sketch, { readFailure }))).toEqual({
      check: 'everything could be read',
      why: 'the settings, the turn or the pods could not be read',
      next: { action: 'fail', failure: readFailure },
    })
  })

  it('is to reject a request with another verb', () => {
    const { check, why, next } = decide(facts({ desired: 'foo-x' }))
    expect([check, next]).toEqual(['the request is valid', { action: 'reject' }])
    expect(why).toContain('"foo-x"')
  })

  it.each<[string, NodeSketch]>([
    ['the node is schedulable', { desired: 'drain-x', lastApplied: '' }],
    ['its start is not recorded', { desired: 'drain-x', unschedulable: true }],
    ['it was cordoned for another drain', { ...cordoned, desired: 'drain-y' }],
    ['a user has uncordoned the node', { ...cordoned, unschedulable: false }],
  ])('is to cordon if %s, even if no pod is left', (_, sketch) => {
    const { check, next } = decide(facts(sketch))
    expect([check, next.action]).toEqual(['the node is cordoned for the drain', 'cordon'])
  })

  it('is to wait for a turn before the drain begins', () => {
    const without = { poolWithoutTurn: 'worker' }
    expect(decide(facts({ desired: 'drain-x' }, without))).toEqual({
      check: 'the node has a turn',
      why: 'MachineConfigPool worker has not given this node a turn: the drain begins when its budget (maxUnavailable) allows it.',
      next: { action: 'wait' },
    })
    expect(nextOf({}, without)).toEqual({ action: 'nothing' })
  })

  it('is to acknowledge if only pods that stay are left', () => {
    const pods = [podWith('logs-1', { owner: owner('DaemonSet', 'logs') })]
    expect(decide(facts(cordoned, { pods }))).toEqual({
      check: 'the drain is acknowledged',
      why: 'the node is cordoned and all pods that must leave have left',
      next: { action: 'acknowledge', value: 'drain-x' },
    })
  })

  it('is to wait for terminating pods without evicting them again', () => {
    const pods = [podWith('a'), podWith('b', { deletionTimestamp: '2026-03-01T12:00:30Z' })]
    const next = stepAt(0, { pods })
    expect(next.pods.map(podName)).toEqual(['shop/a'])
    expect(next.remaining.map(podName)).toEqual(['shop/a', 'shop/b'])
    expect(decide(facts(cordoned, { pods })).why).toBe('2 pods have not left yet')
  })
})

describe('a step of a drain', () => {
  it('evicts pods with their own grace period', () => {
    expect(stepAt(0)).toMatchObject({
      method: 'evict',
      pausing: false,
      begins: true,
      overdue: false,
    })
    expect(stepAt(0)).not.toHaveProperty('graceSeconds')
  })

  it('evicts no pods while the drain pauses', () => {
    expect(stepAt(100_000)).toMatchObject({ pods: [], pausing: true, phaseEndsInMs: 50_000 })
    expect(stepAt(150_000)).toMatchObject({ pausing: false, begins: true, phaseEndsInMs: 90_000 })
    expect(stepAt(155_000)).toMatchObject({ pausing: false, begins: false })
  })

  it('continues after the timeout, and is overdue', () => {
    expect(stepAt(60 * minute)).toMatchObject({ overdue: false })
    // An attempt begins at 600 s + 8 × 390 s.
    expect(stepAt(3720_000)).toMatchObject({ overdue: true, pausing: false })
    expect(stepAt(3720_000).pods).toHaveLength(1)
    const settings = { ...defaultSettings, timeoutMs: 5 * minute }
    expect(stepAt(6 * minute, { settings })).toMatchObject({ overdue: true })
  })

  it('uses the grace period of the DrainPolicy', () => {
    const settings = { ...defaultSettings, graceSeconds: 0 }
    expect(stepAt(0, { settings })).toMatchObject({ graceSeconds: 0 })
  })

  it('deletes pods after forceAfterSeconds, which a pause does not delay', () => {
    const settings = { ...defaultSettings, forceAfterMs: 2 * minute }
    expect(stepAt(0, { settings })).toMatchObject({ method: 'evict', phaseEndsInMs: 90_000 })
    expect(stepAt(100_000, { settings })).toMatchObject({ method: 'evict', phaseEndsInMs: 20_000 })
    expect(stepAt(2 * minute, { settings })).toMatchObject({
      method: 'delete',
      pausing: false,
      phaseEndsInMs: 90_000,
    })
  })

  it('tolerates a clock that goes backwards', () => {
    expect(stepAt(-5 * minute)).toMatchObject({ ageMs: 0, pausing: false })
  })
})

describe('for all facts', () => {
  const sketch = fc.record(
    {
      desired: fc.constantFrom('', 'drain-x', 'drain-y', 'uncordon-x', 'foo-x', 'drain'),
      lastApplied: fc.constantFrom('', 'drain-x', 'drain-y', 'uncordon-x'),
      unschedulable: fc.boolean(),
      record: fc.constantFrom(record, record.replace('drain-x', 'drain-y'), 'damaged'),
    },
    { requiredKeys: [] },
  )
  const pod = fc.constantFrom(
    podWith('a'),
    podWith('b', { deletionTimestamp: '2026-03-01T12:00:30Z' }),
    podWith('c', { owner: owner('DaemonSet', 'logs') }),
    podWith('d', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    podWith('e', { labels: { stays: 'yes' } }),
  )
  const more = fc.record({
    pods: fc.uniqueArray(pod, { selector: podName }),
    now: fc.integer({ min: -10, max: 300 }).map((minutes) => began + minutes * minute),
  })

  it('a drain is acknowledged only on a cordoned node without pods that must leave', () => {
    fc.assert(
      fc.property(sketch, more, (node, { pods, now }) => {
        const next = nextOf(node, { pods, now })
        if (next.action !== 'acknowledge') return
        expect(node.unschedulable).toBe(true)
        expect(next.value).toBe(node.desired)
        expect(pods.map(podName).filter((name) => /[abe]$/.test(name))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('pods are evicted only on a cordoned node with a recorded drain', () => {
    fc.assert(
      fc.property(sketch, more, (node, facts) => {
        const next = nextOf(node, facts)
        if (next.action !== 'evict') return
        expect([node.unschedulable, node.desired?.startsWith('drain-')]).toEqual([true, true])
        expect(JSON.parse(node.record ?? '')).toMatchObject({ request: node.desired })
        expect(next.pods.every((one) => next.remaining.includes(one))).toBe(true)
        expect(next.phaseEndsInMs).toBeGreaterThan(0)
      }),
      { numRuns: 1000 },
    )
  })
})
