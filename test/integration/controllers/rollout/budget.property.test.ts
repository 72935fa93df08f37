import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { statusOf } from '../../../../src/controllers/rollout/status.ts'
import { RolloutModel } from './model.ts'

const clusters = fc.record({
  seed: fc.nat(),
  nodes: fc.integer({ min: 1, max: 9 }),
  budget: fc.integer({ min: 1, max: 4 }),
})
const steps = 120
const timeoutMs = 60_000
const runs = { numRuns: 300 }

/** With stale caches, crashes between any two writes, late writes, changed targets and bad configs. */
describe('in all sequences of events', () => {
  it(
    'at most the budget of nodes is out of service, and without faults all nodes are updated',
    () => {
      fc.assert(
        fc.property(clusters, ({ seed, nodes, budget }) => {
          const random = seededRandom(seed)
          const model = new RolloutModel({ random, nodes, budget, outages: false })
          let most = 0
          for (let i = 0; i < steps; i++) {
            model.step()
            most = Math.max(most, model.disrupted)
          }
          expect(most).toBeLessThanOrEqual(budget)
          expectSettled(model, nodes)
        }),
        runs,
      )
    },
    timeoutMs,
  )

  it(
    'with outages of nodes at most the budget of nodes is being updated',
    () => {
      fc.assert(
        fc.property(clusters, ({ seed, nodes, budget }) => {
          const random = seededRandom(seed)
          const model = new RolloutModel({ random, nodes, budget, outages: true })
          let most = 0
          for (let i = 0; i < steps; i++) {
            model.step()
            most = Math.max(most, model.updating)
          }
          expect(most).toBeLessThanOrEqual(budget)
          expectSettled(model, nodes)
        }),
        runs,
      )
    },
    timeoutMs,
  )
})

/** Two rounds per node complete the current update, and two more the last one. */
function expectSettled(model: RolloutModel, nodes: number): void {
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
