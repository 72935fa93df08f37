import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { thrownBy } from '@machinist/testing/thrown-by'
import { until } from '@machinist/testing/until'
import type { Store, StoreChange } from '../../src/store/store.ts'
import { Compacted, WriteConflict } from '../../src/store/store.ts'
import type { HistoryPolicy } from '../../src/store/history.ts'
import { fullSightOf, sightOf, StoreModel } from './store-model.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** For durable stores: closes and reopens the store. */
  readonly reopen?: () => Promise<StoreUnderTest>
}

export type OpenStore = (clock: Clock, history?: HistoryPolicy) => StoreUnderTest

/** The contract of every store. */
export function describeStore(store: 'SQLite' | 'memory', open: OpenStore): void {
  const opened: Store[] = []
  const fresh = (): Store => {
    const { store } = open(new VirtualClock())
    opened.push(store)
    return store
  }
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })

  describe(`the ${store} store`, () => {
    it('starts at revision 1, so that 0 is never valid', () => {
      const store = fresh()
      expect([store.revision, store.oldest]).toEqual([1, 1])
      expect(store.range({ prefix: '/' })).toEqual([])
      expect(store.changesSince(1)).toEqual([])
    })

    it('reports its size', async () => {
      const store = fresh()
      const before = store.bytes
      await store.write('/a', 'x'.repeat(100_000), 0)
      expect(store.bytes - before).toBeGreaterThan(90_000)
      expect(store.bytes - before).toBeLessThan(120_000)
    })

    it('gives each write the next revision', async () => {
      const store = fresh()
      expect(await store.write('/a', '1', 0)).toEqual({ key: '/a', value: '1', revision: 2 })
      expect(await store.write('/a', '2', 2)).toEqual({ key: '/a', value: '2', revision: 3 })
      expect(await store.remove('/a', 3)).toEqual({ revision: 4 })
      expect(store.get('/a')).toBeUndefined()
      expect(await store.write('/a', '3', 0)).toEqual({ key: '/a', value: '3', revision: 5 })
      expect(store.get('/a')).toEqual({ key: '/a', value: '3', revision: 5 })
      expect(store.revision).toBe(5)
    })

    it('rejects a write against another revision, with the current state', async () => {
      const store = fresh()
      await store.write('/a', '1', 0)
      const present = { key: '/a', value: '1', revision: 2 }
      const conflicts = await Promise.allSettled([
        store.write('/a', 'x', 0),
        store.write('/a', 'x', 1),
        store.remove('/a', 1),
        store.remove('/a', 0),
        store.write('/b', 'x', 2),
        store.remove('/b', 2),
        store.remove('/b', 0),
      ])
      const onA = { status: 'rejected', reason: new WriteConflict('/a', present) }
      const onB = { status: 'rejected', reason: new WriteConflict('/b', undefined) }
      expect(conflicts).toEqual([onA, onA, onA, onA, onB, onB, onB])
      expect(store.revision).toBe(2)
    })

    it('lets one of many concurrent writers succeed', async () => {
      const store = fresh()
      const race = await Promise.allSettled([
        store.write('/a', 'first', 0),
        store.write('/a', 'second', 0),
        store.write('/b', 'other', 0),
        store.write('/a', 'knew it', 2),
      ])
      expect(race.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ])
      expect(store.get('/a')).toEqual({ key: '/a', value: 'knew it', revision: 4 })
      expect(store.get('/b')).toEqual({ key: '/b', value: 'other', revision: 3 })
    })

    it('accepts more concurrent writes than one commit holds, in order', async () => {
      const store = fresh()
      const writes = Array.from({ length: 1203 }, (_, i) => store.write(`/n/${i}`, `${i}`, 0))
      const revisions = (await Promise.all(writes)).map(({ revision }) => revision)
      expect(revisions).toEqual(Array.from({ length: 1203 }, (_, i) => i + 2))
      expect(store.count({ prefix: '/n/' })).toBe(1203)
    })

    it('returns a prefix in key order, in pages', async () => {
      const store = fresh()
      for (const key of ['/b/2', '/a', '/b/10', '/c', '/b/1', '/b']) await store.write(key, key, 0)
      const keys = (range: Parameters<Store['range']>[0]): string[] =>
        store.range(range).map(({ key }) => key)
      expect(keys({ prefix: '' })).toEqual(['/a', '/b', '/b/1', '/b/10', '/b/2', '/c'])
      expect(keys({ prefix: '/b/' })).toEqual(['/b/1', '/b/10', '/b/2'])
      expect(keys({ prefix: '/b/', limit: 2 })).toEqual(['/b/1', '/b/10'])
      expect(keys({ prefix: '/b/', limit: 0 })).toEqual([])
      expect(keys({ prefix: '/b/', after: '/b/10' })).toEqual(['/b/2'])
      expect(keys({ prefix: '/b/', after: '/a' })).toEqual(['/b/1', '/b/10', '/b/2'])
      expect(keys({ prefix: '/b/', after: '/z' })).toEqual([])
      expect(keys({ prefix: '/b/', after: '/b/' })).toEqual(['/b/1', '/b/10', '/b/2'])
      expect(store.count({ prefix: '/b/', after: '/b/1' })).toBe(2)
      expect(store.count({ prefix: '/x/' })).toBe(0)
    })

    it('orders keys by UTF-8 bytes, beyond the basic plane too', async () => {
      const store = fresh()
      const ordered = ['/a', '/a\u0000', '/a-', '/aa', '/é', '/\uff5e', '/😀']
      for (const key of ordered.toReversed()) await store.write(key, key, 0)
      expect(store.range({ prefix: '/' }).map(({ key }) => key)).toEqual(ordered)
      expect(store.range({ prefix: '/', revision: 8 }).map(({ key }) => key)).toEqual(ordered)
      expect(store.range({ prefix: '/', revision: 7 }).map(({ key }) => key)).toEqual(
        ordered.slice(1),
      )
    })

    it('reads old revisions until they are compacted', async () => {
      const store = fresh()
      await store.write('/a', '1', 0)
      await store.write('/b', '1', 0)
      await store.write('/a', '2', 2)
      await store.remove('/b', 3)
      await store.write('/c', '1', 0)
      const values = (revision: number): string[] =>
        store.range({ prefix: '/', revision }).map(({ key, value }) => key + value)
      expect([1, 2, 3, 4, 5, 6].map(values)).toEqual([
        [],
        ['/a1'],
        ['/a1', '/b1'],
        ['/a2', '/b1'],
        ['/a2'],
        ['/a2', '/c1'],
      ])
      expect(store.count({ prefix: '/', revision: 4, after: '/a' })).toBe(1)
      await store.compact(4)
      expect(store.oldest).toBe(4)
      expect(values(4)).toEqual(['/a2', '/b1'])
      expect(thrownBy(() => values(3))).toEqual(new Compacted(4))
      expect(thrownBy(() => store.count({ prefix: '/', revision: 3 }))).toEqual(new Compacted(4))
      expect(thrownBy(() => store.changesSince(3))).toEqual(new Compacted(4))
      expect(store.changesSince(4)).toEqual([
        { revision: 5, key: '/b', before: { key: '/b', value: '1', revision: 3 } },
        { revision: 6, key: '/c', value: '1' },
      ])
    })

    it('compacts at most up to the newest revision, and never backwards', async () => {
      const store = fresh()
      await store.write('/a', '1', 0)
      await store.remove('/a', 2)
      await store.compact(1000)
      expect([store.revision, store.oldest]).toEqual([3, 3])
      await store.compact(2)
      expect(store.oldest).toBe(3)
      expect(store.changesSince(3)).toEqual([])
      expect((await store.write('/a', '2', 0)).revision).toBe(4)
    })

    it('notifies listeners of every change in order, before the write resolves', async () => {
      const store = fresh()
      const received: (StoreChange | string)[] = []
      const stop = store.subscribe((change) => received.push(change))
      await store.write('/a', '1', 0).then(() => received.push('written'))
      await store.write('/a', '2', 2)
      await store.remove('/a', 3)
      await store.write('/b', '1', 7).catch(() => {})
      stop()
      await store.write('/c', '1', 0)
      expect(received).toEqual([
        { revision: 2, key: '/a', value: '1' },
        'written',
        { revision: 3, key: '/a', value: '2', before: { key: '/a', value: '1', revision: 2 } },
        { revision: 4, key: '/a', before: { key: '/a', value: '2', revision: 3 } },
      ])
      expect(store.changesSince(1).slice(0, 3)).toEqual(received.filter((it) => it !== 'written'))
    })

    it('keeps the order for all listeners if one of them writes, and survives one that throws', async () => {
      const store = fresh()
      const received: number[] = []
      let second: Promise<unknown> | undefined
      store.subscribe(() => {
        second ??= store.write('/b', 'from within', 0)
        throw new Error('a listener failed')
      })
      store.subscribe(({ revision }) => received.push(revision))
      await Promise.all([store.write('/a', '1', 0), store.write('/c', '1', 0)])
      await second
      expect(received).toEqual([2, 3, 4])
    })

    it('completes pending writes on close, and rejects later ones', async () => {
      const store = fresh()
      const written = store.write('/a', '1', 0)
      await store.close()
      expect(await written).toEqual({ key: '/a', value: '1', revision: 2 })
      await expect(store.write('/b', '1', 0)).rejects.toThrow(
        'the store is closed: /b is not written',
      )
    })

    it('compacts history by age, and keeps current objects', async () => {
      const clock = new VirtualClock()
      const { store } = open(clock, { keepMs: 60_000 })
      opened.push(store)
      await store.write('/a', '1', 0)
      await store.write('/b', '1', 0)
      await store.write('/a', '2', 2)
      await clock.advance(60_000)
      expect(store.oldest).toBe(1)
      await store.write('/a', '3', 4)
      await clock.advance(60_000)
      await until('the first changes are compacted', () => store.oldest === 4)
      expect(store.changesSince(4)).toHaveLength(1)
      await clock.advance(60_000)
      await until('all changes are compacted', () => store.oldest === 5)
      expect(store.range({ prefix: '/' }).map(({ value }) => value)).toEqual(['3', '1'])
    })

    it('compacts history by number, even without passing time', async () => {
      const { store } = open(new VirtualClock(), { keepRevisions: 10 })
      opened.push(store)
      for (let i = 0; i < 50; i++) await store.write(`/${i}`, '1', 0)
      await until('early changes are compacted', () => store.revision - store.oldest <= 20)
      expect(store.revision - store.oldest).toBeGreaterThanOrEqual(10)
      expect(store.count({ prefix: '/' })).toBe(50)
    })

    it('agrees with a simple model, for any operations', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          let underTest = open(new VirtualClock(), { keepMs: 1e9 })
          const model = new StoreModel()
          try {
            for (const step of steps) {
              if (step.what === 'reopen') {
                underTest = (await underTest.reopen?.()) ?? underTest
                continue
              }
              const [actual, expected] = await perform(step, underTest.store, model)
              expect(actual).toEqual(expected)
            }
            expect(fullSightOf(underTest.store)).toEqual(fullSightOf(model))
          } finally {
            await underTest.store.close()
          }
        }),
        { numRuns: 60 },
      )
    })
  })
}

const key = fc.constantFrom('/a', '/a/1', '/a/2', '/b/1', '/b/10', '/b/2', '/c')
const value = fc.string({ unit: 'grapheme', maxLength: 8 })

type Step =
  | { readonly what: 'writes'; readonly writes: readonly RandomWrite[] }
  | { readonly what: 'look'; readonly back: number }
  | { readonly what: 'compact'; readonly back: number }
  | { readonly what: 'reopen' }

interface RandomWrite {
  readonly key: string
  /** Absent: remove. */
  readonly value?: string
  readonly stale: boolean
}

const write: fc.Arbitrary<RandomWrite> = fc.record({
  key,
  value: fc.option(value, { nil: undefined, freq: 2 }),
  stale: fc.nat(9).map((n) => n === 0),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(write, { maxLength: 4 })
      .map((writes) => ({ what: 'writes' as const, writes })),
  },
  { weight: 3, arbitrary: fc.nat(20).map((back) => ({ what: 'look' as const, back })) },
  { weight: 1, arbitrary: fc.nat(20).map((back) => ({ what: 'compact' as const, back })) },
  { weight: 1, arbitrary: fc.constant({ what: 'reopen' as const }) },
)

/** The outcome of a step, and the expected one. */
async function perform(
  step: Exclude<Step, { what: 'reopen' }>,
  store: Store,
  model: StoreModel,
): Promise<[actual: unknown, expected: unknown]> {
  if (step.what === 'look') {
    const revision = Math.max(store.revision - step.back, 0)
    return [sightOf(store, revision), sightOf(model, revision)]
  }
  if (step.what === 'compact') {
    await store.compact(store.revision - step.back)
    model.compact(model.revision - step.back)
    return [store.oldest, model.oldest]
  }
  const expected = step.writes.map((write) => model.write(write))
  const outcomes = await Promise.allSettled(
    step.writes.map(({ key, value }, i) =>
      value === undefined
        ? store.remove(key, expected[i]!.against)
        : store.write(key, value, expected[i]!.against),
    ),
  )
  return [
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.revision : 'conflict',
    ),
    expected.map(({ outcome }) => outcome),
  ]
}
