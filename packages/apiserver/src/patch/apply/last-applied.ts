import { canonicalJson, isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { compare } from './comparison.ts'
import type { FieldSet } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** Only this manager migrates from client-side apply. */
export const lastAppliedManager = 'kubectl'

/** Fields that client-side apply has set and that are unchanged since: kubectl can take them without force. */
export function lastAppliedFields(
  live: Readonly<Record<string, unknown>>,
  shape: Shape,
): FieldSet | undefined {
  const text = annotationOf(live)
  if (text === undefined) return undefined
  const before = parsed(text)
  if (!isObject(before) || before['apiVersion'] !== live['apiVersion']) return undefined
  const { added, modified, removed } = compare(before, live, shape)
  return fieldsOf(before, shape).difference(added.union(modified).union(removed))
}

/** Updates the last-applied annotation for tools that read it; does not add it. */
export function withLastApplied(
  object: Record<string, unknown>,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (annotationOf(object) === undefined) return object
  const metadata = object['metadata'] as Record<string, unknown>
  const annotations = { ...(metadata['annotations'] as object), [annotation]: textOf(config) }
  return { ...object, metadata: { ...metadata, annotations } }
}

function annotationOf(object: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = object
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined
  const text = isObject(annotations) ? annotations[annotation] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** JSON in Go's form: sorted keys, escaped HTML, a trailing newline. */
function textOf(config: Readonly<Record<string, unknown>>): string {
  const { annotations, ...rest } = membersOf(config['metadata'])
  const { [annotation]: _, ...others } = membersOf(annotations)
  const kept = Object.keys(others).length === 0 ? rest : { ...rest, annotations: others }
  const text = canonicalJson({ ...config, metadata: kept })
  const escaped = text.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
  return `${escaped}\n`
}

const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
