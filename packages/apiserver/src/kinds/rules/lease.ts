import type { Cause } from '../../refusal.ts'
import { invalidValue } from '../../schema/causes.ts'
import type { KindRules } from '../kind-rules.ts'
import { specOf } from './fields.ts'

export const leaseRules: KindRules = {
  versionedUpdate: true,
  createdByUpdate: true,
  validate(lease) {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = specOf(lease)
    const causes: Cause[] = []
    if (typeof seconds === 'number' && seconds <= 0) {
      causes.push(invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0'))
    }
    if (typeof transitions === 'number' && transitions < 0) {
      const why = 'must be greater than or equal to 0'
      causes.push(invalidValue('spec.leaseTransitions', transitions, why))
    }
    return causes
  },
}
