import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { BudgetStatus } from '../../verbs/eviction/budget.ts'
import type { CountedPod } from './budget-count.ts'
import { countBudget, uncounted } from './budget-count.ts'

const now = Date.parse('2026-01-01T00:10:00Z')

const budget = (spec: object, status: object = {}, generation = 3): ApiObject => ({
  metadata: { name: 'web', generation },
  spec,
  status,
})

const pod = (name: string, ready = true, leaving = false): CountedPod => ({ name, ready, leaving })

const never = (): number => {
  throw new Error('nobody needs the scale here')
}

const numbers = ({ status }: { status: BudgetStatus }): number[] => [
  status.currentHealthy,
  status.desiredHealthy,
  status.expectedPods,
  status.disruptionsAllowed,
]

describe('a budget with a number of pods', () => {
  it('counts the pods', () => {
    const pods = [pod('a'), pod('b'), pod('c', false), pod('d', true, true)]
    expect(countBudget(budget({ minAvailable: 1 }), pods, never, now)).toEqual({
      status: {
        observedGeneration: 3,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 4,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'True',
            observedGeneration: 3,
            lastTransitionTime: '2026-01-01T00:10:00Z',
            reason: 'SufficientPods',
            message: '',
          },
        ],
      },
    })
  })

  it('allows nothing without pods, or with too few', () => {
    expect(numbers(countBudget(budget({ minAvailable: 0 }), [], never, now))).toEqual([0, 0, 0, 0])
    const few = countBudget(budget({ minAvailable: 3 }), [pod('a')], never, now)
    expect(numbers(few)).toEqual([1, 3, 1, 0])
    expect(few.status.conditions).toMatchObject([{ status: 'False', reason: 'InsufficientPods' }])
  })

  it('expects nothing without an amount', () => {
    expect(numbers(countBudget(budget({}), [pod('a')], never, now))).toEqual([1, 0, 0, 0])
  })
})

describe('a budget with a percentage', () => {
  const pods = [pod('a'), pod('b'), pod('c')]
  const counted = (spec: object, scale: number): number[] =>
    numbers(countBudget(budget(spec), pods, () => scale, now))

  it('is relative to the scale of the controllers, rounded up', () => {
    expect(counted({ minAvailable: '50%' }, 3)).toEqual([3, 2, 3, 1])
    expect(counted({ minAvailable: '100%' }, 3)).toEqual([3, 3, 3, 0])
    expect(counted({ maxUnavailable: '34%' }, 3)).toEqual([3, 1, 3, 2])
    expect(counted({ maxUnavailable: '0%' }, 3)).toEqual([3, 3, 3, 0])
  })

  it('needs the controllers for maxUnavailable too', () => {
    expect(counted({ maxUnavailable: 1 }, 4)).toEqual([3, 3, 4, 0])
    expect(counted({ maxUnavailable: 5 }, 4)).toEqual([3, 0, 4, 3])
    expect(counted({ maxUnavailable: 1 }, 0)).toEqual([3, 0, 0, 0])
  })
})

describe('disrupted pods', () => {
  const disruptedPods = {
    fresh: '2026-01-01T00:09:00Z',
    older: '2026-01-01T00:08:30Z',
    stale: '2026-01-01T00:08:00Z',
    leaving: '2026-01-01T00:09:59Z',
    gone: '2026-01-01T00:09:59Z',
  }
  const pods = [pod('fresh'), pod('older'), pod('stale'), pod('leaving', true, true), pod('other')]

  it('count as gone for two minutes, and then as present again', () => {
    const before = budget({ minAvailable: 1 }, { disruptedPods })
    const { status, recountAt } = countBudget(before, pods, never, now)
    expect(status.disruptedPods).toEqual({
      fresh: '2026-01-01T00:09:00Z',
      older: '2026-01-01T00:08:30Z',
    })
    expect(status.currentHealthy).toBe(2)
    expect(recountAt).toBe(Date.parse('2026-01-01T00:10:30Z'))
  })

  it('are removed from the status once deleted', () => {
    const before = budget(
      { minAvailable: 1 },
      { disruptedPods: { leaving: disruptedPods.leaving } },
    )
    const { status, recountAt } = countBudget(before, pods, never, now)
    expect(status).not.toHaveProperty('disruptedPods')
    expect(recountAt).toBeUndefined()
  })
})

describe('a budget that cannot be counted', () => {
  it('allows nothing, has a reason, and keeps previous counts', () => {
    const before = budget(
      { maxUnavailable: 1 },
      { observedGeneration: 2, disruptionsAllowed: 2, currentHealthy: 5, desiredHealthy: 3 },
    )
    expect(uncounted(before, 'found no controllers for pod "a"', now)).toEqual({
      observedGeneration: 2,
      disruptionsAllowed: 0,
      currentHealthy: 5,
      desiredHealthy: 3,
      expectedPods: 0,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          observedGeneration: 2,
          lastTransitionTime: '2026-01-01T00:10:00Z',
          reason: 'SyncFailed',
          message: 'found no controllers for pod "a"',
        },
      ],
    })
  })
})

const anyPods = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,3}$/),
    ready: fc.boolean(),
    leaving: fc.boolean(),
  }),
  {
    selector: ({ name }) => name,
    maxLength: 12,
  },
)

const amount = fc.oneof(
  fc.nat({ max: 15 }),
  fc.nat({ max: 100 }).map((percent) => `${percent}%`),
)

const anySpec = fc.oneof(
  amount.map((minAvailable) => ({ minAvailable })),
  amount.map((maxUnavailable) => ({ maxUnavailable })),
)

const anyTime = fc.integer({ min: -300, max: 0 }).map((s) => new Date(now + s * 1000).toISOString())

describe('the count of any pods', () => {
  it('never allows more than the healthy pods above the minimum', () => {
    fc.assert(
      fc.property(
        anySpec,
        anyPods,
        fc.nat({ max: 15 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), anyTime),
        (spec, pods, scale, disruptedPods) => {
          const count = countBudget(budget(spec, { disruptedPods }), pods, () => scale, now)
          const [healthy, desired, expected, allowed] = numbers(count) as [
            number,
            number,
            number,
            number,
          ]
          expect(allowed).toBe(expected > 0 ? Math.max(healthy - desired, 0) : 0)
          expect(healthy).toBeLessThanOrEqual(
            pods.filter(({ ready, leaving }) => ready && !leaving).length,
          )
          const promised = Object.keys(count.status.disruptedPods ?? {})
          expect(pods.map(({ name }) => name)).toEqual(expect.arrayContaining(promised))
          expect(count.recountAt === undefined).toBe(promised.length === 0)
          expect(count.recountAt ?? now + 1).toBeGreaterThan(now)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(anySpec, anyPods, fc.nat({ max: 15 }), (spec, pods, scale) => {
        const { status } = countBudget(budget(spec), pods, () => scale, now)
        const recountAt = countBudget(budget(spec, status), pods, () => scale, now + 60_000)
        expect(recountAt.status).toEqual(status)
      }),
      { numRuns: 200 },
    )
  })

  it('allows one disruption less for each disrupted pod', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.integer({ min: 1, max: 10 }), (minAvailable, count) => {
        const pods = Array.from({ length: count }, (_, i) => pod(`p${i}`))
        const spec = { minAvailable }
        const before = countBudget(budget(spec), pods, never, now).status.disruptionsAllowed
        const disruptedPods = { p0: new Date(now).toISOString() }
        const after = countBudget(budget(spec, { disruptedPods }), pods, never, now).status
        expect(after.disruptionsAllowed).toBe(Math.max(before - 1, 0))
      }),
      { numRuns: 100 },
    )
  })
})
