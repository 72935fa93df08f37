import { isObject } from '@machinist/core/encoding/json'
import { metadataFields } from './embedded.ts'
import { memberOf } from './structure/members.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

export interface Pruned {
  readonly object: Readonly<Record<string, unknown>>
  /** Paths of removed fields, sorted: `spec.bogus`, `spec.list[0].more`. */
  readonly unknown: readonly string[]
}

/** A problem field; the decoder finds duplicates, pruning unknown fields. */
export interface FieldProblem {
  readonly kind: 'unknown' | 'duplicate'
  readonly path: string
}

/** `unknown field "spec.bogus"`: the text of a warning and of a strict decoding error. */
export function fieldProblemText({ kind, path }: FieldProblem): string {
  return `${kind} field "${path}"`
}

/** The error of fieldValidation=Strict; undefined without complaints. */
export function strictDecodingError(complaints: readonly FieldProblem[]): string | undefined {
  if (complaints.length === 0) return undefined
  return `strict decoding error: ${complaints.map((one) => fieldProblemText(one)).join(', ')}`
}

/** A copy of the object without unknown fields. apiVersion, kind and metadata are not pruned. */
export function prune(schema: StructuralSchema, object: Readonly<Record<string, unknown>>): Pruned {
  const unknown: string[] = []
  const root = { ...schema, 'x-kubernetes-embedded-resource': false }
  const kept: Record<string, unknown> = {}
  const rest: Record<string, unknown> = {}
  for (const key of Object.keys(object)) set(typeMeta.has(key) ? kept : rest, key, object[key])
  const pruned = keep(root, rest, '', unknown) as Record<string, unknown>
  return { object: { ...kept, ...pruned }, unknown: unknown.sort() }
}

const typeMeta = new Set(['apiVersion', 'kind', 'metadata'])

/** The pruned value. Without a schema, object members are dropped, but list items stay. */
function keep(
  schema: StructuralSchema | undefined,
  value: unknown,
  path: string,
  unknown: string[],
): unknown {
  if (Array.isArray(value)) {
    const open = schema?.['x-kubernetes-preserve-unknown-fields'] === true
    if (open && schema.items === undefined) return value
    return value.map((item, i) => keep(schema?.items, item, `${path}[${i}]`, unknown))
  }
  return isObject(value) ? keepMembers(schema, value, path, unknown) : value
}

function keepMembers(
  schema: StructuralSchema | undefined,
  value: Readonly<Record<string, unknown>>,
  path: string,
  unknown: string[],
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const at = path === '' ? key : `${path}.${key}`
    const fate = schema ? fateOf(schema, key) : 'drop'
    if (fate === 'drop') unknown.push(at)
    else if (fate === 'metadata') set(kept, key, keepMetadata(value[key], at, unknown))
    else set(kept, key, fate === 'keep' ? value[key] : keep(fate.schema, value[key], at, unknown))
  }
  return kept
}

/** Whether a member is kept, dropped or pruned itself. */
function fateOf(
  schema: StructuralSchema,
  key: string,
): 'keep' | 'drop' | 'metadata' | { schema: StructuralSchema | undefined } {
  if (schema['x-kubernetes-embedded-resource'] === true && typeMeta.has(key)) {
    return key === 'metadata' ? 'metadata' : 'keep'
  }
  const member = memberOf(schema, key)
  if (member) return member
  // Any value is allowed, but its schema is unknown: members of objects are dropped.
  if (schema.additionalProperties === true) return { schema: undefined }
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? 'keep' : 'drop'
}

function keepMetadata(value: unknown, path: string, unknown: string[]): unknown {
  if (!isObject(value)) return value
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (metadataFields.has(key)) set(kept, key, value[key])
    else unknown.push(`${path}.${key}`)
  }
  return kept
}

/** Also handles the key `__proto__`, which must become a plain member; defineProperty is slow for other keys. */
export function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}
