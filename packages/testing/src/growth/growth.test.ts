import { expect, it } from 'vitest'
import { casesOf, measureGrowth, isLinear, runs } from './growth.ts'

it('measureGrowth detects a quadratic regular expression', async () => {
  const [quadratic] = casesOf('here', {
    read: (text) => text.replace(/\/+$/, ''),
    shapes: { 'slashes before another character': runs('/', '', 'x') },
  })
  expect(await measureGrowth(quadratic!)).not.toSatisfy(isLinear)
})
