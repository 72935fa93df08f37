import { isObject } from '@machinist/core/json'
import { metadataFields } from './embedded.ts'
import { memberOf } from './members.ts'
import type { StructuralSchema } from './structural-schema.ts'

export interface Pruned {
  readonly object: Readonly<Record<string, unknown>>
  /** Paths of what was dropped, sorted: `spec.bogus`, `spec.list[0].more`. */
  readonly unknown: readonly string[]
}

/** A field that the decoder or the pruning found; duplicates are the decoder's to find. */
export interface FieldComplaint {
  readonly kind: 'unknown' | 'duplicate'
  readonly path: string
}

/** `unknown field "spec.bogus"`: the text of a warning, and a part of a strict refusal. */
export function complaintText({ kind, path }: FieldComplaint): string {
  return `${kind} field "${path}"`
}

/** The refusal of fieldValidation=Strict; undefined where there is nothing to complain about. */
export function strictRefusal(complaints: readonly FieldComplaint[]): string | undefined {
  if (complaints.length === 0) return undefined
  return `strict decoding error: ${complaints.map((one) => complaintText(one)).join(', ')}`
}

/** A copy of the object without what its schema does not know. apiVersion, kind and metadata stay as they are. */
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

/** What stays of a value. Without a schema, members of objects do not stay, but items of lists do. */
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

/** What becomes of a member: kept as it is, dropped, or looked into. */
function fateOf(
  schema: StructuralSchema,
  key: string,
): 'keep' | 'drop' | 'metadata' | { schema: StructuralSchema | undefined } {
  if (schema['x-kubernetes-embedded-resource'] === true && typeMeta.has(key)) {
    return key === 'metadata' ? 'metadata' : 'keep'
  }
  const member = memberOf(schema, key)
  if (member) return member
  // Anything is allowed here, but nothing is known about it: objects lose their members.
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

/** Also for the key `__proto__`, which must become a member and nothing else; elsewhere that would only be slow. */
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
