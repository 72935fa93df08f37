import { expect, it } from 'vitest'
import { formatResult, formatTrustResult } from './format-result.ts'
import { simulateTrust } from './trust/trust-simulation.ts'
import { simulateConfig } from './config-simulation.ts'

/** Seeds per test: a compromise between the length of the report and finding the seed of a failure. */
const perTest = 25

/** Config simulations that must not violate an invariant. */
export function simulations(first: number, last: number): void {
  inBatches('config simulations', first, last, async (seed) => {
    const result = await simulateConfig({ seed })
    return result.violations.length > 0 ? formatResult(result) : undefined
  })
}

/** Trust simulations that must not violate an invariant. */
export function trustSimulations(first: number, last: number): void {
  inBatches('trust simulations', first, last, async (seed) => {
    const result = await simulateTrust({ seed })
    return result.violations.length > 0 ? formatTrustResult(result) : undefined
  })
}

function inBatches(
  what: string,
  first: number,
  last: number,
  violationIn: (seed: number) => Promise<string | undefined>,
): void {
  for (let from = first; from <= last; from += perTest) {
    const to = Math.min(from + perTest - 1, last)
    it(`no invariant is violated in ${what} ${from} to ${to}`, { timeout: 300_000 }, async () => {
      const violated: string[] = []
      for (let seed = from; seed <= to; seed++) {
        const report = await violationIn(seed)
        if (report !== undefined) violated.push(report)
      }
      expect(violated.join('\n\n')).toBe('')
    })
  }
}
