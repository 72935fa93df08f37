import { isObject, sameJson } from '../../../base/json.ts'
import type { Cause } from '../../refusal.ts'
import type { KindRules } from '../kind-rules.ts'
import { section } from './fields.ts'

export const secretRules: KindRules = {
  /** `stringData` is for writing only: it ends up in `data`, encoded. */
  complete(secret) {
    const plain = secret['stringData']
    if (isObject(plain)) {
      const data = section(secret, 'data')
      for (const [key, value] of Object.entries(plain)) {
        data[key] = Buffer.from(String(value), 'utf8').toString('base64')
      }
    }
    delete secret['stringData']
    secret['type'] ??= 'Opaque'
  },
  validate(secret, before) {
    const causes: Cause[] = []
    if (before && secret['type'] !== before['type']) {
      causes.push(invalidType(String(secret['type'])))
    }
    if (before?.['immutable'] === true && !sameJson(secret['data'], before['data'])) {
      causes.push({
        reason: 'FieldValueForbidden',
        message: 'Forbidden: field is immutable when `immutable` is set',
        field: 'data',
      })
    }
    return causes
  },
}

const invalidType = (type: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(type)}: field is immutable`,
  field: 'type',
})
