import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue } from '../../status/causes.ts'
import type { KindRules } from '../kind-rules.ts'
import { specOf } from '../fields.ts'

export const leaseRules: KindRules = {
  requiresResourceVersion: true,
  allowsCreateOnUpdate: true,
  validate(lease) {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = specOf(lease)
    const causes: StatusCause[] = []
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
