import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { podThat } from './objects.fixture.ts'
import type { Blocker } from '../../fleet/drain/blockers.ts'
import { podName } from './departures.ts'
import type { Move } from './facts.ts'
import type { Asked } from './progress.ts'
import { progressAfter } from './progress.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const evicting: Move = {
  pods: [],
  how: 'evict',
  remaining: [],
  ageMs: 0,
  resting: false,
  begins: true,
  turnsInMs: 90_000,
  overdue: false,
}
const budget = {
  metadata: { namespace: 'shop', name: 'web' },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
}
const a = podThat('a')
const b = podThat('b')
const blocked: Asked = { outcome: 'blocked', message: 'Cannot evict pod' }
const refused: Asked = { outcome: 'refused', message: 'forbidden' }
const told: Blocker = {
  pod: 'shop/a',
  why: 'PodDisruptionBudget shop/web allows 0 disruptions: 1 of its 1 pods must be healthy, so none can ever be evicted',
  since: '2026-03-01T11:30:00Z',
}

const after = (move: Partial<Move>, asked: Record<string, Asked>, before: Blocker[] = []) =>
  progressAfter(
    { ...evicting, ...move },
    new Map(Object.entries(asked)),
    (pod) => (pod === a ? [budget] : []),
    before,
    now,
  )

describe('who is in the way after a step', () => {
  it('are the pods that could not leave, by name, and why', () => {
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

  it('are so since they were first told', () => {
    expect(after({ remaining: [a] }, { 'shop/a': blocked }, [told]).blockers).toEqual([told])
  })

  it('are still those that were told before, while the drain rests', () => {
    const resting = { resting: true, turnsInMs: 40_000 }
    expect(after({ remaining: [a, b], ...resting }, {}, [told]).blockers).toEqual([told])
    expect(after({ remaining: [b], ...resting }, {}, [told]).blockers).toEqual([])
  })

  it('is nobody who has been evicted or is gone', () => {
    const asked = { 'shop/a': { outcome: 'evicted' }, 'shop/b': { outcome: 'gone' } } as const
    expect(after({ remaining: [a, b] }, asked, [told]).blockers).toEqual([])
  })

  it('are pods that should have ended, but not those that still have time', () => {
    const late = podThat('late', { deletionTimestamp: '2026-03-01T11:59:30Z' })
    const held = podThat('held', {
      deletionTimestamp: '2026-03-01T11:00:00Z',
      finalizers: ['example.com/backup'],
    })
    const soon = podThat('soon', { deletionTimestamp: '2026-03-01T11:59:31Z' })
    expect(after({ remaining: [late, held, soon] }, {}).blockers).toEqual([
      {
        pod: 'shop/held',
        why: 'should have ended, but is held by the finalizers example.com/backup',
        since: '2026-03-01T11:00:00Z',
      },
      {
        pod: 'shop/late',
        why: 'should have ended, but its kubelet has not confirmed it',
        since: '2026-03-01T11:59:30Z',
      },
    ])
  })
})

describe('the next look', () => {
  it.each<[string, Partial<Move>, Record<string, Asked>, number]>([
    ['after 5 s in an attempt', {}, { 'shop/a': blocked }, 5000],
    ['when the attempt ends, if that is sooner', { turnsInMs: 3000 }, { 'shop/a': blocked }, 3000],
    ['when the rest is over', { resting: true, turnsInMs: 47_000 }, {}, 47_000],
    ['after 1 min when asking cannot help', {}, { 'shop/a': refused }, 60_000],
    ['after 1 min at 10 min', { ageMs: 600_000 }, { 'shop/a': refused }, 60_000],
    ['after 5 min beyond', { ageMs: 600_001 }, { 'shop/a': refused }, 300_000],
  ])('is %s', (_, move, asked, expected) => {
    expect(after({ remaining: [a], ...move }, asked).lookAgainMs).toBe(expected)
  })

  it('is soon when at least one pod may leave', () => {
    const asked = { 'shop/a': refused, 'shop/b': blocked }
    expect(after({ remaining: [a, b] }, asked).lookAgainMs).toBe(5000)
  })
})

it('tells the same twice when nothing changes, whatever happened to whom', () => {
  const outcome = fc.constantFrom<Asked>(
    blocked,
    refused,
    { outcome: 'evicted' },
    { outcome: 'gone' },
  )
  const names = ['a', 'b', 'c', 'd', 'e']
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), outcome), (outcomes) => {
      const remaining = names.map((name) => podThat(name))
      const asked = new Map(
        Object.entries(outcomes).map(([name, asked]) => [podName(podThat(name)), asked]),
      )
      const step = (before: readonly Blocker[], at: number) =>
        progressAfter({ ...evicting, remaining }, asked, () => [], before, at).blockers
      const first = step([], now)
      expect(step(first, now + 5000)).toEqual(first)
      expect(first.map(({ pod }) => pod)).toEqual(first.map(({ pod }) => pod).sort())
    }),
    { numRuns: 200 },
  )
})
