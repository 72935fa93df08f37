import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { seededRandom } from '@machinist/core/random'
import { statusOf } from '../../../../src/controllers/rollout/status.ts'
import { RolloutModel } from './model.ts'

const worlds = fc.record({
  seed: fc.nat(),
  nodes: fc.integer({ min: 1, max: 9 }),
  budget: fc.integer({ min: 1, max: 4 }),
})
const steps = 120
/** Only a broken machine takes that long. */
const patienceMs = 60_000
const runs = { numRuns: 300 }

/** Old pictures, deaths between any two writes, writes that arrive late, changed minds, bad configurations. */
describe('over everything that may happen', () => {
  it(
    'never more nodes are out of service than the budget allows, and peace brings all home',
    () => {
      fc.assert(
        fc.property(worlds, ({ seed, nodes, budget }) => {
          const random = seededRandom(seed)
          const model = new RolloutModel({ random, nodes, budget, outages: false })
          let most = 0
          for (let i = 0; i < steps; i++) {
            model.step()
            most = Math.max(most, model.disrupted)
          }
          expect(most).toBeLessThanOrEqual(budget)
          expectPeace(model, nodes)
        }),
        runs,
      )
    },
    patienceMs,
  )

  it(
    'nodes that go away by themselves never let more be told than the budget allows',
    () => {
      fc.assert(
        fc.property(worlds, ({ seed, nodes, budget }) => {
          const random = seededRandom(seed)
          const model = new RolloutModel({ random, nodes, budget, outages: true })
          let most = 0
          for (let i = 0; i < steps; i++) {
            model.step()
            most = Math.max(most, model.underWay)
          }
          expect(most).toBeLessThanOrEqual(budget)
          expectPeace(model, nodes)
        }),
        runs,
      )
    },
    patienceMs,
  )
})

/** Two rounds per node bring it to where it was told, and two more to where it shall be. */
function expectPeace(model: RolloutModel, nodes: number): void {
  const plan = model.settle(8 * nodes + 8)
  expect(plan.situation.counts).toEqual({
    machine: nodes,
    updated: nodes,
    ready: nodes,
    unavailable: 0,
    degraded: 0,
  })
  const { conditions } = statusOf(plan)
  expect(conditionOf(conditions, 'Updated')?.status).toBe('True')
  expect(plan.situation.open.size).toBe(0)
  expect(plan.writes).toEqual([])
  expect(model.disrupted).toBe(0)
}
