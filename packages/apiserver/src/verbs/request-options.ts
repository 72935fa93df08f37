import { isObject } from '@machinist/core/encoding/json'
import { managerOf } from '../patch/apply/track-fields.ts'
import type { StatusCause } from '../status/status-error.ts'
import { badRequest, invalid, StatusError } from '../status/status-error.ts'
import type { DeleteOptions } from './delete.ts'
import type { WriteOptions } from './verb-context.ts'

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

const validations = ['', 'Ignore', 'Strict', 'Warn']

/** The options of a write from its query. */
export function writeOptions(
  query: URLSearchParams,
  kind: OptionsKind,
  userAgent: string | undefined,
  warn: (text: string) => void,
): WriteOptions {
  const causes: StatusCause[] = []
  const dryRun = dryRunOf(query.getAll('dryRun'), causes)
  const validation = query.get('fieldValidation') ?? ''
  if (!validations.includes(validation)) causes.push(unknownValidation(validation))
  causes.push(...managerProblems(query.get('fieldManager') ?? ''))
  throwIfAny(kind, causes)
  const fieldManager = managerOf(query.get('fieldManager') ?? undefined, userAgent)
  const fieldValidation = (validation || 'Warn') as WriteOptions['fieldValidation']
  return { dryRun, fieldManager, fieldValidation, warn }
}

/** DeleteOptions from the body; from the query only if there is no body. */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const sent = body === undefined ? queried(query) : checkedTypes(body)
  const { dryRun, propagationPolicy, orphanDependents, preconditions } = sent
  const causes: StatusCause[] = []
  const isDry = dryRunOf(dryRun ?? [], causes)
  if (propagationPolicy && orphanDependents !== undefined)
    causes.push(bothPropagations(propagationPolicy))
  else if (propagationPolicy && !propagations.has(propagationPolicy)) {
    causes.push(unknownPropagation(propagationPolicy))
  }
  throwIfAny('DeleteOptions', causes)
  return {
    dryRun: isDry,
    graceSeconds: graceOf(sent.gracePeriodSeconds),
    propagation: (propagationPolicy ||
      deprecatedPropagation(orphanDependents)) as DeleteOptions['propagation'],
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
  }
}

/** A number in the query; 0 if absent. */
export function numberOption(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  if (text === '') return 0
  const problem = (why: string): StatusError =>
    badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  if (!/^[-+]?\d+$/.test(text)) throw problem('invalid syntax')
  // Parsing millions of digits would be slow.
  const isLong = text.length > 40
  if (isLong || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw problem('value out of range')
  }
  // Clamped to safe integers: no option is that large.
  const most = Number.MAX_SAFE_INTEGER
  return Math.max(-most, Math.min(Number(text), most))
}

/** `?watch`, `?watch=1`, `?watch=true`. */
export function truthOption(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)
  return text !== null && text !== '0' && text.toLowerCase() !== 'false'
}

const propagations = new Set(['Background', 'Foreground', 'Orphan'])

interface SentDeleteOptions {
  readonly dryRun?: readonly string[]
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: string
  readonly orphanDependents?: boolean
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

function queried(query: URLSearchParams): SentDeleteOptions {
  const grace = query.get('gracePeriodSeconds') ?? ''
  const propagationPolicy = query.get('propagationPolicy') ?? undefined
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace !== '' && { gracePeriodSeconds: numberOption(query, 'gracePeriodSeconds') }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(query.has('orphanDependents') && {
      orphanDependents: truthOption(query, 'orphanDependents'),
    }),
  }
}

/** Reports errors of Go's decoder. */
function checkedTypes(body: unknown): SentDeleteOptions {
  const sent = withoutNulls(body)
  const preconditions = withoutNulls(sent['preconditions'])
  const wrong =
    mistyped(sent, 'DeleteOptions.', optionTypes) ??
    mistyped(preconditions, 'Preconditions.preconditions.', preconditionTypes)
  if (wrong !== undefined) throw new StatusError(500, '', wrong)
  return { ...sent, preconditions }
}

const withoutNulls = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(([, member]) => member !== null),
  )

type Types = Readonly<Record<string, readonly [goType: string, (value: unknown) => boolean]>>

const isText = (value: unknown): boolean => typeof value === 'string'

const optionTypes: Types = {
  gracePeriodSeconds: ['int64', Number.isSafeInteger],
  preconditions: ['v1.Preconditions', isObject],
  orphanDependents: ['bool', (value) => typeof value === 'boolean'],
  propagationPolicy: ['v1.DeletionPropagation', isText],
  dryRun: ['[]string', (value) => Array.isArray(value) && value.every(isText)],
}

const preconditionTypes: Types = {
  uid: ['types.UID', isText],
  resourceVersion: ['string', isText],
}

function mistyped(sent: Record<string, unknown>, place: string, types: Types): string | undefined {
  const wrong = Object.entries(types).find(
    ([field, [, fits]]) => sent[field] !== undefined && !fits(sent[field]),
  )
  if (!wrong) return undefined
  const [field, [goType]] = wrong
  const value = sent[field]
  const plain = typeof value === 'boolean' ? 'bool' : typeof value
  const name = Array.isArray(value) ? 'array' : plain
  const printed = name === 'number' && goType === 'int64' ? `number ${String(value)}` : name
  return `json: cannot unmarshal ${printed} into Go struct field ${place}${field} of type ${goType}`
}

/** The deprecated orphanDependents. */
function deprecatedPropagation(orphanDependents: boolean | undefined): string | undefined {
  if (orphanDependents === undefined) return undefined
  return orphanDependents ? 'Orphan' : 'Background'
}

const bothPropagations = (propagation: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(propagation)}: orphanDependents and deletionPropagation cannot be both set`,
  field: 'propagationPolicy',
})

function dryRunOf(requested: readonly string[], causes: StatusCause[]): boolean {
  const values = requested.filter((value) => value !== '')
  if (values.some((value) => value !== 'All')) {
    const printed = `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`
    causes.push(unsupported('dryRun', printed, '"All"'))
  }
  return values.length > 0
}

const longestManager = 128

function managerProblems(manager: string): StatusCause[] {
  const field = 'fieldManager'
  const long = `Too long: may not be more than ${longestManager} bytes`
  const isLong = Buffer.byteLength(manager) > longestManager
  return [
    ...(isLong ? [{ reason: 'FieldValueTooLong', message: long, field }] : []),
    ...[...manager.matchAll(/\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}/gu)].map(([char], i, all) => {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      const position = Buffer.byteLength(manager.slice(0, all[i]!.index))
      const problem = `invalid character U+${code} (at position ${position})`
      const message = `Invalid value: ${JSON.stringify(manager)}: ${problem}`
      return { reason: 'FieldValueInvalid', message, field }
    }),
  ]
}

const unknownValidation = (validation: string): StatusCause =>
  unsupported(
    'fieldValidation',
    JSON.stringify(validation),
    validations.map((value) => JSON.stringify(value)).join(', '),
  )

const unknownPropagation = (propagation: string): StatusCause =>
  unsupported(
    'propagationPolicy',
    JSON.stringify(propagation),
    '"Foreground", "Background", "Orphan", "nil"',
  )

const unsupported = (field: string, value: string, supported: string): StatusCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${value}: supported values: ${supported}`,
  field,
})

function throwIfAny(kind: OptionsKind, causes: readonly StatusCause[]): void {
  if (causes.length === 0) return
  throw invalid({ group: 'meta.k8s.io', resource: '', kind, name: '' }, causes)
}

/** A negative grace period is one second. */
const graceOf = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds < 0 ? 1 : seconds
