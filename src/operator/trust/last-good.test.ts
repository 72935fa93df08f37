import { expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import { LastGood } from './last-good.ts'

const config = (rootCAData: string | null, annotations = {}): ControllerConfig => ({
  metadata: { name: 'machine-config-controller', annotations },
  spec: { ...emptyControllerConfigSpec, rootCAData },
})
const ours = { 'machinist.dev/trust-digests': '{}' }

it('the last valid values survive the deletion of the ControllerConfig, until the next one has them', () => {
  const last = new LastGood()
  expect(last.with(undefined).rootCAData).toBeNull()
  // A ControllerConfig of another operator, from which Machinist takes over.
  expect(last.with(config('A')).rootCAData).toBe('A')
  expect(last.with(config('B', ours)).rootCAData).toBe('B')
  expect(last.with(undefined).rootCAData).toBe('B')
  expect(last.with(config(null)).rootCAData).toBe('B')
  expect(last.with(config(null, ours)).rootCAData).toBeNull()
})
