import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PoolBudget } from './budget.ts'
import { budgetOf } from './budget.ts'

const worker = (
  maxUnavailable: number | string | undefined,
  size = 4,
  allowWholePool?: string,
): PoolBudget => budgetOf({ pool: 'worker', maxUnavailable, size, allowWholePool })

describe('the budget of a pool of four', () => {
  it.each([
    [undefined, 1],
    [2, 2],
    [0, 1],
    [3, 3],
    ['50%', 2],
    ['60%', 2],
    ['99%', 3],
    ['0%', 1],
  ])('%s is %i', (requested, nodes) => {
    expect(worker(requested)).toEqual({ nodes })
  })

  it.each(['50 percent', '60', '40 %', '', '%', '-1%', '1.5%', '101%', '150%', 'abc', -1, 1.5])(
    '%s is invalid',
    (requested) => {
      expect(worker(requested)).toEqual({
        problem: `spec.maxUnavailable is ${JSON.stringify(requested)}: no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"`,
      })
    },
  )

  it.each([['100%'], [4], [9]])('%s leaves one node in service, with a reason', (requested) => {
    expect(worker(requested)).toEqual({
      nodes: 3,
      capped: `spec.maxUnavailable ${JSON.stringify(requested)} is the whole pool: at most 3 of 4 nodes are updated at a time. To allow all at once, set the annotation machinist.dev/allow-whole-pool-unavailable to "true"`,
    })
    expect(worker(requested, 4, 'yes')).toMatchObject({ nodes: 3 })
    expect(worker(requested, 4, 'true')).toEqual({ nodes: requested === '100%' ? 4 : requested })
  })

  it('of one node is that node', () => {
    expect(worker(1, 1)).toEqual({ nodes: 1 })
    expect(worker('100%', 1)).toEqual({ nodes: 1 })
    expect(worker(2, 1)).toEqual({ nodes: 2 })
  })

  it.each(['master', 'arbiter'])('is one for %s, regardless of maxUnavailable', (pool) => {
    const input = { pool, size: 5, allowWholePool: 'true' }
    expect(budgetOf({ ...input, maxUnavailable: '100%' })).toEqual({ nodes: 1 })
    expect(budgetOf({ ...input, maxUnavailable: 3 })).toEqual({ nodes: 1 })
  })

  it('is at least one, and leaves a node of several in service', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(5000), (percent, size) => {
        const budget = worker(`${percent}%`, size) as { nodes: number }
        expect(budget.nodes).toBeGreaterThanOrEqual(1)
        expect(budget.nodes).toBeLessThanOrEqual(Math.max(size - 1, 1))
      }),
    )
  })
})
