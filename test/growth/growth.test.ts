import { describe, expect, it } from 'vitest'
import { allCases } from './all-cases.ts'
import { casesOf, growthOf, isLinear, runs } from './growth.ts'

describe('the time that a parser takes is proportional to the length of its input', () => {
  it.each(allCases)('$parser: $shape', async (parserCase) => {
    expect(await growthOf(parserCase)).toSatisfy(isLinear)
  })
})

describe('growthOf', () => {
  it('finds a quadratic regular expression', async () => {
    const [quadratic] = casesOf('here', {
      read: (text) => text.replace(/\/+$/, ''),
      shapes: { 'slashes that do not end it': runs('/', '', 'x') },
    })
    expect(await growthOf(quadratic!)).not.toSatisfy(isLinear)
  })
})
