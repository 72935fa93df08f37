import { expect, it } from 'vitest'
import { planSummary } from './plan-summary.ts'
import type { PlanChange, UpdatePlan } from './model/update-plan.ts'

const change = (kind: PlanChange['kind'], how: PlanChange['change']): PlanChange => ({
  kind,
  change: how,
  summary: '',
})
const planOf = (changes: readonly PlanChange[], rest: Partial<UpdatePlan> = {}): UpdatePlan => ({
  from: 'a',
  to: 'b',
  reconcilable: true,
  reasons: [],
  changes,
  actions: [],
  drain: false,
  drainRule: '',
  reboot: false,
  steps: [],
  ...rest,
})

it('a plan summary counts added, changed and removed items and states drain and reboot', () => {
  const changes = [
    change('file', 'removed'),
    change('file', 'removed'),
    change('file', 'changed'),
    change('unit', 'added'),
    change('osImage', 'changed'),
  ]
  expect(planSummary(planOf(changes, { drain: true, reboot: true }))).toBe(
    '1 file changed, 2 removed; 1 unit added; the OS image changes; the node is drained and reboots',
  )
  expect(planSummary(planOf([change('dropin', 'removed')]))).toBe(
    '1 drop-in removed; the node is neither drained nor rebooted',
  )
})

it('a plan summary states why the change cannot be applied', () => {
  const plan = planOf([], { reconcilable: false, reasons: ['one', 'two', 'three'] })
  expect(planSummary(plan)).toBe('the update cannot be applied to a running node (one and 2 more)')
})
