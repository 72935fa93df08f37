import { expect, it } from 'vitest'
import { casesOf, growthOf, isLinear, runs } from './growth.ts'

it('growthOf finds a quadratic regular expression', async () => {
  const [quadratic] = casesOf('here', {
    read: (text) => text.replace(/\/+$/, ''),
    shapes: { 'slashes that do not end it': runs('/', '', 'x') },
  })
  expect(await growthOf(quadratic!)).not.toSatisfy(isLinear)
})
