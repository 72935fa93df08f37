import type { Cause } from '../../refusal.ts'
import type { KindRules } from '../kind-rules.ts'
import { specOf, statusOf } from './fields.ts'

export const certificateRequestRules: KindRules = {
  complete: (request) => void statusOf(request),
  /** What was asked for never changes: an approval must stay about what was approved. */
  keep: (request, before) => void (request['spec'] = before['spec']),
  validate(request) {
    const spec = specOf(request)
    return ['request', 'signerName', 'usages'].flatMap((field): Cause[] =>
      spec[field] === undefined ? [required(`spec.${field}`)] : [],
    )
  },
}

const required = (field: string): Cause => ({
  reason: 'FieldValueRequired',
  message: 'Required value',
  field,
})
