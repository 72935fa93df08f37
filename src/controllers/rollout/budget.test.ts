import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { budgetOf } from './budget.ts'

describe('the budget of a pool of four', () => {
  it.each([
    [undefined, 1],
    [2, 2],
    [0, 1],
    ['50%', 2],
    ['60%', 2],
    ['100%', 4],
    ['0%', 1],
  ])('%s is %i', (asked, nodes) => {
    expect(budgetOf('worker', asked, 4)).toEqual({ nodes })
  })

  it.each(['50 percent', '60', '40 %', '', '%', '-1%', '1.5%', -1, 1.5])(
    '%s is refused',
    (asked) => {
      const budget = budgetOf('worker', asked, 4)
      expect(budget).toEqual({
        problem: `maxUnavailable ${JSON.stringify(asked)} is neither a number nor a percentage such as "10%"`,
      })
    },
  )

  it.each(['master', 'arbiter'])('is one for %s, whatever is asked', (pool) => {
    expect(budgetOf(pool, '100%', 5)).toEqual({ nodes: 1 })
    expect(budgetOf(pool, 3, 5)).toEqual({ nodes: 1 })
  })

  it('is at least one, and a percentage up to 100 never more than the pool, unless that is empty', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(5000), (percent, size) => {
        const budget = budgetOf('worker', `${percent}%`, size) as { nodes: number }
        expect(budget.nodes).toBeGreaterThanOrEqual(1)
        expect(budget.nodes).toBeLessThanOrEqual(Math.max(size, 1))
      }),
    )
  })
})
