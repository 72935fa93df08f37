import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryStore } from '../store/memory-store.ts'
import { ChangeWindow, recentChanges } from './change-window.ts'

const limits = { changes: 5, characters: 100 }

describe('a change window', () => {
  it('has the newest changes that fit, and its start', () => {
    const change = fc.record({ key: fc.constantFrom('/a/1', '/a/2', '/b/1'), length: fc.nat(60) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.nat(30), (changes, from) => {
        const window = new ChangeWindow(1, limits)
        const all = changes.map(({ key, length }, i) => ({
          revision: i + 2,
          key,
          value: 'x'.repeat(length),
        }))
        for (const change of all) window.add(change)
        const kept = all.filter(({ revision }) => revision > window.start)
        const characters = kept.reduce((sum, { value }) => sum + value.length, 0)
        expect(kept.length).toBeLessThanOrEqual(5)
        expect(characters).toBeLessThanOrEqual(100)
        expect(window.sizes).toEqual({ start: window.start, changes: kept.length, characters })
        // Nothing is dropped unnecessarily.
        const dropped = all.findLast(({ revision }) => revision <= window.start)
        const needless =
          dropped && kept.length < 5 && characters + dropped.value.length <= limits.characters
        expect(needless ?? false).toBe(false)
        const since = Math.max(from, window.start)
        expect(window.since(since, '/a/').map(({ revision }) => revision)).toEqual(
          kept
            .filter(({ revision, key }) => revision > since && key.startsWith('/a/'))
            .map(({ revision }) => revision),
        )
      }),
    )
  })

  it('drops even the newest change if it is too large', () => {
    const window = new ChangeWindow(1, limits)
    window.add({ revision: 2, key: '/a', value: 'x'.repeat(101) })
    expect(window.start).toBe(2)
    expect(window.since(2, '/')).toEqual([])
  })

  it('of a store is as large as one that has received all changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(60), { maxLength: 60 }), fc.nat(60), async (sizes, past) => {
        const store = new MemoryStore({ clock: new VirtualClock(), log: silentLogger })
        const wide = { changes: 45, characters: 1000 }
        const witness = new ChangeWindow(1, wide)
        store.subscribe((change) => witness.add(change))
        let revision = 0
        for (const size of sizes) {
          revision = (await store.write('/a', 'x'.repeat(size), revision)).revision
        }
        await store.compact(Math.min(past, store.revision))
        const window = recentChanges(store, wide)
        expect(window.start).toBe(Math.max(witness.start, store.oldest))
        expect(window.since(window.start, '/').map((change) => change.revision)).toEqual(
          witness.since(window.start, '/').map((change) => change.revision),
        )
        await store.close()
      }),
    )
  })
})
