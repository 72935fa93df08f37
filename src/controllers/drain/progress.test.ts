import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import { podWith } from './objects.fixture.ts'
import { podName } from './pods-to-evict.ts'
import type { EvictionStep } from './decide.ts'
import type { EvictionResult } from './progress.ts'
import { progressAfter } from './progress.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const evicting: EvictionStep = {
  pods: [],
  method: 'evict',
  remaining: [],
  ageMs: 0,
  pausing: false,
  begins: true,
  phaseEndsInMs: 90_000,
  overdue: false,
}
const budget = {
  metadata: { namespace: 'shop', name: 'web' },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
}
const a = podWith('a')
const b = podWith('b')
const blocked: EvictionResult = { outcome: 'blocked', message: 'Cannot evict pod' }
const refused: EvictionResult = { outcome: 'refused', message: 'forbidden' }
const reported: DrainBlocker = {
  pod: 'shop/a',
  why: 'PodDisruptionBudget shop/web allows 0 disruptions: 1 of its 1 pods must be healthy, so none can ever be evicted',
  since: '2026-03-01T11:30:00Z',
}

const after = (
  step: Partial<EvictionStep>,
  results: Record<string, EvictionResult>,
  before: DrainBlocker[] = [],
) =>
  progressAfter(
    { ...evicting, ...step },
    new Map(Object.entries(results)),
    (pod) => (pod === a ? [budget] : []),
    before,
    now,
  )

describe('the blockers after a step', () => {
  it('are the pods that could not be evicted, with the reasons', () => {
    const { blockers } = after(
      { remaining: [b, a] },
      { 'shop/a': blocked, 'shop/b': { outcome: 'busy', message: 'webhook is down' } },
    )
    expect(blockers).toEqual([
      {
        pod: 'shop/a',
        why: 'PodDisruptionBudget shop/web allows 0 disruptions: 1 of its 1 pods must be healthy, so none can ever be evicted',
        since: '2026-03-01T12:00:00Z',
      },
      { pod: 'shop/b', why: 'webhook is down', since: '2026-03-01T12:00:00Z' },
    ])
  })

  it('keep the start of their first report', () => {
    expect(after({ remaining: [a] }, { 'shop/a': blocked }, [reported]).blockers).toEqual([
      reported,
    ])
  })

  it('are those of the last report while the drain pauses', () => {
    const pause = { pausing: true, phaseEndsInMs: 40_000 }
    expect(after({ remaining: [a, b], ...pause }, {}, [reported]).blockers).toEqual([reported])
    expect(after({ remaining: [b], ...pause }, {}, [reported]).blockers).toEqual([])
  })

  it('do not include evicted and deleted pods', () => {
    const results = { 'shop/a': { outcome: 'evicted' }, 'shop/b': { outcome: 'gone' } } as const
    expect(after({ remaining: [a, b] }, results, [reported]).blockers).toEqual([])
  })

  it('include pods that should have stopped, but not those that still have time', () => {
    const late = podWith('late', { deletionTimestamp: '2026-03-01T11:59:30Z' })
    const held = podWith('held', {
      deletionTimestamp: '2026-03-01T11:00:00Z',
      finalizers: ['example.com/backup'],
    })
    const soon = podWith('soon', { deletionTimestamp: '2026-03-01T11:59:31Z' })
    expect(after({ remaining: [late, held, soon] }, {}).blockers).toEqual([
      {
        pod: 'shop/held',
        why: 'should have stopped, but has the finalizers example.com/backup',
        since: '2026-03-01T11:00:00Z',
      },
      {
        pod: 'shop/late',
        why: 'should have stopped, but its kubelet has not confirmed it',
        since: '2026-03-01T11:59:30Z',
      },
    ])
  })
})

describe('the requeue time', () => {
  it.each<[string, Partial<EvictionStep>, Record<string, EvictionResult>, number]>([
    ['5 s in an attempt', {}, { 'shop/a': blocked }, 5000],
    [
      'the end of the attempt, if that is sooner',
      { phaseEndsInMs: 3000 },
      { 'shop/a': blocked },
      3000,
    ],
    ['the end of the pause', { pausing: true, phaseEndsInMs: 47_000 }, {}, 47_000],
    ['1 min if all pods are refused', {}, { 'shop/a': refused }, 60_000],
    ['1 min at 10 min', { ageMs: 600_000 }, { 'shop/a': refused }, 60_000],
    ['5 min after 10 min', { ageMs: 600_001 }, { 'shop/a': refused }, 300_000],
  ])('is %s', (_, step, results, expected) => {
    expect(after({ remaining: [a], ...step }, results).requeueAfterMs).toBe(expected)
  })

  it('is short if at least one pod can be evicted', () => {
    const results = { 'shop/a': refused, 'shop/b': blocked }
    expect(after({ remaining: [a, b] }, results).requeueAfterMs).toBe(5000)
  })
})

it('reports the same blockers again if nothing changes', () => {
  const outcome = fc.constantFrom<EvictionResult>(
    blocked,
    refused,
    { outcome: 'evicted' },
    { outcome: 'gone' },
  )
  const names = ['a', 'b', 'c', 'd', 'e']
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), outcome), (outcomes) => {
      const remaining = names.map((name) => podWith(name))
      const results = new Map(
        Object.entries(outcomes).map(([name, result]) => [podName(podWith(name)), result]),
      )
      const step = (before: readonly DrainBlocker[], at: number) =>
        progressAfter({ ...evicting, remaining }, results, () => [], before, at).blockers
      const first = step([], now)
      expect(step(first, now + 5000)).toEqual(first)
      expect(first.map(({ pod }) => pod)).toEqual(first.map(({ pod }) => pod).sort())
    }),
    { numRuns: 200 },
  )
})
