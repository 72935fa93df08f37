import { expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/resources.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import { LastGood } from './last-good.ts'

const config = (rootCAData: string | null, annotations = {}): ControllerConfig => ({
  metadata: { name: 'machine-config-controller', annotations },
  spec: { ...emptySpec, rootCAData },
})
const ours = { 'machinist.dev/trust-digests': '{}' }

it('what was good last outlives the ControllerConfig, until another one has it', () => {
  const last = new LastGood()
  expect(last.with(undefined).rootCAData).toBeNull()
  // Of another operator, which we take over from.
  expect(last.with(config('A')).rootCAData).toBe('A')
  expect(last.with(config('B', ours)).rootCAData).toBe('B')
  expect(last.with(undefined).rootCAData).toBe('B')
  expect(last.with(config(null)).rootCAData).toBe('B')
  expect(last.with(config(null, ours)).rootCAData).toBeNull()
})
