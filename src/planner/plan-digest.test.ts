import { expect, it } from 'vitest'
import { planDigest } from './plan-digest.ts'
import type { UpdatePlan } from './update-plan.ts'

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

it('a plan has one digest, and every other plan another', () => {
  // Of the canonical JSON, taken by another program.
  expect(planDigest(plan)).toBe('e14db6095f07')
  const { from, ...others } = plan
  expect(planDigest({ ...others, from })).toBe(planDigest(plan))
  expect(planDigest({ ...plan, reboot: true })).not.toBe(planDigest(plan))
})
