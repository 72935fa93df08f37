import { expect, it } from 'vitest'
import { inWords, trustInWords } from './in-words.ts'
import { simulateTrust } from './trust/trust-world.ts'
import { simulate } from './world.ts'

/** So many in one test that a line of a report stands for something, and few enough that it is soon clear which. */
const perTest = 25

/** Worlds in which no rule may be broken. */
export function worlds(first: number, last: number): void {
  inBatches('worlds', first, last, async (seed) => {
    const result = await simulate({ seed })
    return result.violations.length > 0 ? inWords(result) : undefined
  })
}

/** Worlds of trust in which no rule may be broken. */
export function trustWorlds(first: number, last: number): void {
  inBatches('worlds of trust', first, last, async (seed) => {
    const result = await simulateTrust({ seed })
    return result.violations.length > 0 ? trustInWords(result) : undefined
  })
}

function inBatches(
  what: string,
  first: number,
  last: number,
  brokenIn: (seed: number) => Promise<string | undefined>,
): void {
  for (let from = first; from <= last; from += perTest) {
    const to = Math.min(from + perTest - 1, last)
    it(`no rule is broken in ${what} ${from} to ${to}`, { timeout: 300_000 }, async () => {
      const broken: string[] = []
      for (let seed = from; seed <= to; seed++) {
        const story = await brokenIn(seed)
        if (story !== undefined) broken.push(story)
      }
      expect(broken.join('\n\n')).toBe('')
    })
  }
}
