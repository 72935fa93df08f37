import { expect, it } from 'vitest'
import { inWords } from './in-words.ts'
import { simulate } from './world.ts'

/** So many in one test that a line of a report stands for something, and few enough that it is soon clear which. */
const perTest = 25

/** Worlds in which no rule may be broken. */
export function worlds(first: number, last: number): void {
  for (let from = first; from <= last; from += perTest) {
    const to = Math.min(from + perTest - 1, last)
    it(`no rule is broken in worlds ${from} to ${to}`, { timeout: 300_000 }, async () => {
      const broken: string[] = []
      for (let seed = from; seed <= to; seed++) {
        const result = await simulate({ seed })
        if (result.violations.length > 0) broken.push(inWords(result))
      }
      expect(broken.join('\n\n')).toBe('')
    })
  }
}
