import { expect, it } from 'vitest'
import { planSummary } from './plan-summary.ts'
import type { Change, UpdatePlan } from './update-plan.ts'

const change = (kind: Change['kind'], how: Change['change']): Change => ({
  kind,
  change: how,
  summary: '',
})
const planOf = (changes: readonly Change[], rest: Partial<UpdatePlan> = {}): UpdatePlan => ({
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

it('a plan summary counts what is added, changed and removed and names drain and reboot', () => {
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

it('a plan summary says why a running node cannot take the change over', () => {
  const plan = planOf([], { reconcilable: false, reasons: ['one', 'two', 'three'] })
  expect(planSummary(plan)).toBe('a running node cannot take this over (one and 2 more)')
})
