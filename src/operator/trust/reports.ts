import { names } from '../../api/names.ts'
import { union } from '@machinist/pki/bundle'
import type { InputProblem } from '../inputs/problem.ts'
import type { InputReport } from '../inputs/show-inputs.ts'
import type { ApiServerCA } from './api-server-ca.ts'
import { nextExpiry } from './check-bundle.ts'
import type { Verdict } from './facts.ts'
import type { FieldValue, TrustFields } from './fields.ts'
import { isGiven } from './fields.ts'
import type { Fitting } from './fit.ts'
import { largestSpec } from './fit.ts'
import type { FieldInputName, InputName, InputSource } from './inputs.ts'
import { apiServerInput, trustInputs } from './inputs.ts'
import { readField } from './read-bytes.ts'
import { trustReasons } from './reasons.ts'

/** What became of one input. `removed`: it was there, and has been taken away on purpose. */
export interface TrustReport extends InputReport {
  readonly input: InputName
  readonly state: 'good' | 'bad' | 'removed' | 'absent'
  /** When the first certificate that nodes are given, and that still counts, ends. */
  readonly notAfter?: number
}

export function fieldReport(
  input: FieldInputName,
  verdict: Verdict<NonNullable<FieldValue>>,
  before: TrustFields,
  { fields, tooLarge }: Fitting,
  now: number,
): TrustReport {
  const { field, isBundle } = trustInputs[input]
  const ends = isBundle ? endOf(expiryOf(fields[field], now)) : {}
  if (verdict.state === 'bad') return { input, state: 'bad', problem: verdict.problem, ...ends }
  if (tooLarge.has(field))
    return { input, state: 'bad', problem: noRoom(trustInputs[input].from), ...ends }
  if (verdict.state === 'good') return { input, state: 'good', ...ends }
  return { input, state: isGiven(before[field]) ? 'removed' : 'absent' }
}

export function apiServerReport({ verdict, handedOn }: ApiServerCA, now: number): TrustReport {
  const input = apiServerInput
  const ends = handedOn ? endOf(nextExpiry(handedOn, now)) : {}
  if (verdict.state === 'bad') return { input, state: 'bad', problem: verdict.problem, ...ends }
  return { input, state: verdict.state, ...ends }
}

function expiryOf(value: FieldValue, now: number): number | undefined {
  const all = typeof value === 'string' ? [value] : (value ?? []).map(({ data }) => data)
  return nextExpiry(union(...all.map((data) => readField(data).bundle)), now)
}

const endOf = (notAfter: number | undefined): Pick<TrustReport, 'notAfter'> =>
  notAfter === undefined ? {} : { notAfter }

function noRoom(from: readonly InputSource[]): InputProblem {
  const places = from.map(({ kind, namespace, name }) =>
    name === undefined
      ? `${kind}s of ${namespace} that other objects name`
      : `${kind} ${namespace}/${name}`,
  )
  const message = `the spec of ControllerConfig ${names.controllerConfig} would have more than ${largestSpec} bytes: leave out what is not needed in ${places.join(' or ')}`
  return { reason: trustReasons.tooLarge, message }
}
