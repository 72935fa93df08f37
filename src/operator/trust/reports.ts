import { union } from '@machinist/pki/bundle'
import { names } from '../../api/names.ts'
import type { InputProblem } from '../inputs/problem.ts'
import type { InputReport } from '../inputs/report-inputs.ts'
import type { ApiServerCA } from './sources/api-server-ca.ts'
import { nextExpiry } from './bundles/check-bundle.ts'
import type { InputResult } from './facts/facts.ts'
import type { FieldValue, TrustFields } from './facts/fields.ts'
import { isGiven } from './facts/fields.ts'
import type { FittedFields } from './fit.ts'
import { largestSpec } from './fit.ts'
import type { FieldInputName, InputName, InputSource } from './field-inputs.ts'
import { apiServerInput, fieldInputs } from './field-inputs.ts'
import { readField } from './bundles/read-bytes.ts'
import { trustReasons } from './facts/reasons.ts'

/** The result of one input. `removed`: a user removed it on purpose. */
export interface TrustReport extends InputReport {
  readonly input: InputName
  readonly state: 'valid' | 'invalid' | 'removed' | 'absent'
  /** When the first certificate that nodes get, and that has not expired, expires. */
  readonly notAfter?: number
}

export function fieldReport(
  input: FieldInputName,
  result: InputResult<NonNullable<FieldValue>>,
  before: TrustFields,
  { fields, tooLarge }: FittedFields,
  now: number,
): TrustReport {
  const { field, isBundle } = fieldInputs[input]
  const expiry = isBundle ? withNotAfter(expiryOf(fields[field], now)) : {}
  if (result.state === 'invalid') {
    return { input, state: 'invalid', problem: result.problem, ...expiry }
  }
  if (tooLarge.has(field)) {
    return { input, state: 'invalid', problem: tooLargeProblem(fieldInputs[input].from), ...expiry }
  }
  if (result.state === 'valid') return { input, state: 'valid', ...expiry }
  return { input, state: isGiven(before[field]) ? 'removed' : 'absent' }
}

export function apiServerReport({ result, published }: ApiServerCA, now: number): TrustReport {
  const input = apiServerInput
  const expiry = published ? withNotAfter(nextExpiry(published, now)) : {}
  if (result.state === 'invalid') {
    return { input, state: 'invalid', problem: result.problem, ...expiry }
  }
  return { input, state: result.state, ...expiry }
}

function expiryOf(value: FieldValue, now: number): number | undefined {
  const all = typeof value === 'string' ? [value] : (value ?? []).map(({ data }) => data)
  return nextExpiry(union(...all.map((data) => readField(data).bundle)), now)
}

const withNotAfter = (notAfter: number | undefined): Pick<TrustReport, 'notAfter'> =>
  notAfter === undefined ? {} : { notAfter }

function tooLargeProblem(from: readonly InputSource[]): InputProblem {
  const places = from.map(({ kind, namespace, name }) =>
    name === undefined ? `referenced ${kind}s of ${namespace}` : `${kind} ${namespace}/${name}`,
  )
  const message = `the spec of ControllerConfig ${names.controllerConfig} would exceed ${largestSpec} bytes: remove unneeded content from ${places.join(' or ')}`
  return { reason: trustReasons.tooLarge, message }
}
