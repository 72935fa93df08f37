import { isObject } from '@machinist/core/json'
import { managerOf } from '../patch/apply/tracked.ts'
import type { Cause } from '../refusal.ts'
import { badRequest, invalid, Refusal } from '../refusal.ts'
import type { DeleteOptions } from './delete.ts'
import type { WriteOptions } from './verb-context.ts'

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

const validations = ['', 'Ignore', 'Strict', 'Warn']

/** The options of a write, as the query gives them. */
export function writeOptions(
  query: URLSearchParams,
  kind: OptionsKind,
  userAgent: string | undefined,
  warn: (text: string) => void,
): WriteOptions {
  const causes: Cause[] = []
  const dryRun = dryRunOf(query.getAll('dryRun'), causes)
  const validation = query.get('fieldValidation') ?? ''
  if (!validations.includes(validation)) causes.push(unknownValidation(validation))
  causes.push(...managerProblems(query.get('fieldManager') ?? ''))
  refuse(kind, causes)
  const fieldManager = managerOf(query.get('fieldManager') ?? undefined, userAgent)
  const fieldValidation = (validation || 'Warn') as WriteOptions['fieldValidation']
  return { dryRun, fieldManager, fieldValidation, warn }
}

/** From the DeleteOptions in the body; only where there is no body, from the query. */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const sent = body === undefined ? queried(query) : checkedTypes(body)
  const { dryRun, propagationPolicy, orphanDependents, preconditions } = sent
  const causes: Cause[] = []
  const isDry = dryRunOf(dryRun ?? [], causes)
  if (propagationPolicy && orphanDependents !== undefined) causes.push(saidTwice(propagationPolicy))
  else if (propagationPolicy && !propagations.has(propagationPolicy)) {
    causes.push(unknownPropagation(propagationPolicy))
  }
  refuse('DeleteOptions', causes)
  return {
    dryRun: isDry,
    graceSeconds: graceOf(sent.gracePeriodSeconds),
    propagation: (propagationPolicy || olderWord(orphanDependents)) as DeleteOptions['propagation'],
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
  }
}

/** A number in the query; 0 where there is none. */
export function numberOption(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  if (text === '') return 0
  const problem = (why: string): Refusal =>
    badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  if (!/^[-+]?\d+$/.test(text)) throw problem('invalid syntax')
  // A length of millions would take its time to be read.
  const isLong = text.length > 40
  if (isLong || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw problem('value out of range')
  }
  // No more than can be counted: nothing here is that large.
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

/** Said in the words of Go's decoder. */
function checkedTypes(body: unknown): SentDeleteOptions {
  const sent = withoutNulls(body)
  const preconditions = withoutNulls(sent['preconditions'])
  const wrong =
    mistyped(sent, 'DeleteOptions.', optionTypes) ??
    mistyped(preconditions, 'Preconditions.preconditions.', preconditionTypes)
  if (wrong !== undefined) throw new Refusal(500, '', wrong)
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
  const shown = name === 'number' && goType === 'int64' ? `number ${String(value)}` : name
  return `json: cannot unmarshal ${shown} into Go struct field ${place}${field} of type ${goType}`
}

/** How dependents were spoken of before there was a word for the foreground. */
function olderWord(orphanDependents: boolean | undefined): string | undefined {
  if (orphanDependents === undefined) return undefined
  return orphanDependents ? 'Orphan' : 'Background'
}

const saidTwice = (propagation: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(propagation)}: orphanDependents and deletionPropagation cannot be both set`,
  field: 'propagationPolicy',
})

function dryRunOf(asked: readonly string[], causes: Cause[]): boolean {
  const said = asked.filter((value) => value !== '')
  if (said.some((value) => value !== 'All')) {
    const shown = `[]string{${said.map((value) => JSON.stringify(value)).join(', ')}}`
    causes.push(unsupported('dryRun', shown, '"All"'))
  }
  return said.length > 0
}

const longestManager = 128

function managerProblems(manager: string): Cause[] {
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

const unknownValidation = (validation: string): Cause =>
  unsupported(
    'fieldValidation',
    JSON.stringify(validation),
    validations.map((value) => JSON.stringify(value)).join(', '),
  )

const unknownPropagation = (propagation: string): Cause =>
  unsupported(
    'propagationPolicy',
    JSON.stringify(propagation),
    '"Foreground", "Background", "Orphan", "nil"',
  )

const unsupported = (field: string, value: string, supported: string): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${value}: supported values: ${supported}`,
  field,
})

function refuse(kind: OptionsKind, causes: readonly Cause[]): void {
  if (causes.length === 0) return
  throw invalid({ group: 'meta.k8s.io', resource: '', kind, name: '' }, causes)
}

/** Less than no time at all is a second. */
const graceOf = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds < 0 ? 1 : seconds
