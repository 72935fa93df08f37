import { describe, expect, it } from 'vitest'
import { weather } from './chaos.ts'

describe('an informer in a storm', { timeout: 120_000 }, () => {
  it.each([
    { seed: 11, objects: 10_000, changes: 100_000 },
    { seed: 22, objects: 2000, changes: 30_000, lineFaults: 0.003 },
    { seed: 33, objects: 500, changes: 10_000, lineFaults: 0.01 },
  ])(
    'ends up with what the server holds: $objects objects, $changes changes, seed $seed',
    async (world) => {
      const after = await weather(world)
      expect(after.cached).toEqual(after.stored)
      expect(after.believed).toEqual(after.stored)
      expect(after.contradictions).toEqual([])
      // It was a storm indeed: most kinds of faults were met.
      expect(Object.keys(after.faults).length).toBeGreaterThanOrEqual(10)
      expect(after.openWatches).toBe(1)
      // The watch and at most four idle connections that are kept for the next request.
      expect(after.openSockets).toBeLessThanOrEqual(5)
      expect(after.pendingTimers).toBeLessThanOrEqual(2)
      expect(after.abortListeners).toBeLessThanOrEqual(2)
    },
  )
})
