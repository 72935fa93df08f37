import { describe, expect, it } from 'vitest'
import { runChaos } from './chaos.ts'

describe('an informer with random faults', { timeout: 120_000 }, () => {
  it.each([
    { seed: 11, objects: 10_000, changes: 100_000 },
    { seed: 22, objects: 2000, changes: 30_000, lineFaults: 0.003 },
    { seed: 33, objects: 500, changes: 10_000, lineFaults: 0.01 },
  ])(
    'converges to the state of the server: $objects objects, $changes changes, seed $seed',
    async (scenario) => {
      const after = await runChaos(scenario)
      expect(after.cached).toEqual(after.stored)
      expect(after.derived).toEqual(after.stored)
      expect(after.contradictions).toEqual([])
      // Most kinds of faults were injected.
      expect(Object.keys(after.faults).length).toBeGreaterThanOrEqual(10)
      expect(after.openWatches).toBe(1)
      // The watch and at most four idle connections.
      expect(after.openSockets).toBeLessThanOrEqual(5)
      expect(after.pendingTimers).toBeLessThanOrEqual(2)
      expect(after.abortListeners).toBeLessThanOrEqual(2)
    },
  )
})
