import { expect, it } from 'vitest'
import { planDigest } from './plan-digest.ts'
import type { UpdatePlan } from './model/update-plan.ts'

const plan: UpdatePlan = {
  from: 'a',
  to: 'b',
  reconcilable: true,
  reasons: [],
  changes: [],
  actions: [],
  drain: false,
  drainRule: 'nothing changes',
  reboot: false,
  steps: [],
}

it('a plan digest identifies a plan', () => {
  // Computed from the canonical JSON with another program.
  expect(planDigest(plan)).toBe('e14db6095f07')
  const { from, ...others } = plan
  expect(planDigest({ ...others, from })).toBe(planDigest(plan))
  expect(planDigest({ ...plan, reboot: true })).not.toBe(planDigest(plan))
})
