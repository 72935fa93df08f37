import { isObject } from '../../base/json.ts'
import { managerOf } from '../patch/apply/tracked.ts'
import type { Cause } from '../refusal.ts'
import { badRequest, invalid } from '../refusal.ts'
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
  refuse(kind, causes)
  const fieldManager = managerOf(query.get('fieldManager') ?? undefined, userAgent)
  const fieldValidation = (validation || 'Warn') as WriteOptions['fieldValidation']
  return { dryRun, fieldManager, fieldValidation, warn }
}

/** From the query, or from the DeleteOptions in the body, which win. */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const sent = isObject(body) ? body : {}
  const preconditions = isObject(sent['preconditions']) ? sent['preconditions'] : {}
  const causes: Cause[] = []
  const asked = Array.isArray(sent['dryRun']) ? sent['dryRun'].map(String) : query.getAll('dryRun')
  const dryRun = dryRunOf(asked, causes)
  const propagation =
    textOf(sent['propagationPolicy']) ?? query.get('propagationPolicy') ?? undefined
  if (propagation !== undefined && !propagations.has(propagation)) {
    causes.push(unknownPropagation(propagation))
  }
  refuse('DeleteOptions', causes)
  return {
    dryRun,
    graceSeconds: graceOf(sent['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds')),
    propagation: propagation as DeleteOptions['propagation'],
    uid: textOf(preconditions['uid']),
    resourceVersion: textOf(preconditions['resourceVersion']),
  }
}

/** A number in the query; 0 where there is none. */
export function numberOption(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  if (text === '') return 0
  if (/^[-+]?\d+$/.test(text)) return Number(text)
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}

/** `?watch`, `?watch=1`, `?watch=true`. */
export function truthOption(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)
  return text !== null && text !== '0' && text.toLowerCase() !== 'false'
}

const propagations = new Set(['Background', 'Foreground', 'Orphan'])

function dryRunOf(asked: readonly string[], causes: Cause[]): boolean {
  const said = asked.filter((value) => value !== '')
  if (said.some((value) => value !== 'All')) {
    const shown = `[]string{${said.map((value) => JSON.stringify(value)).join(', ')}}`
    causes.push(unsupported('dryRun', shown, '"All"'))
  }
  return said.length > 0
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
    '"Background", "Foreground", "Orphan", "nil"',
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

function graceOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  if (!Number.isSafeInteger(seconds)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`)
  }
  return Math.max(seconds, 0)
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
