import { isObject } from '../../base/json.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Refusal } from '../refusal.ts'
import { badRequest, invalid } from '../refusal.ts'
import { invalidValue, mistyped } from './metadata-check.ts'
import { apiVersionOf, metadataFields } from './stored-object.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

/** A body after it was read as JSON, YAML or protobuf. */
export interface SentObject {
  readonly value: unknown
  /** How it looked, for messages. */
  readonly text: string
  /** Paths that were there twice. */
  readonly duplicates: readonly string[]
}

/** The object that a client sent, in the shape of its kind; refused when it is something else. */
export function decodedObject(
  kind: ServedKind,
  sent: SentObject,
  options: WriteOptions,
  context: Pick<VerbContext, 'schemas'>,
): ApiObject {
  const object = typed(kind, sent)
  checkMetadataTypes(kind, object)
  const pruned = context.schemas.of(kind)?.prune(object) ?? { object, unknown: [] }
  reportStrictly(kind, complaints(kind, sent, object, pruned.unknown), options)
  return pruned.object
}

function checkMetadataTypes(kind: ServedKind, { metadata }: ApiObject): void {
  const problem = mistyped(metadata)
  if (problem === undefined) return
  throw badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${problem}`,
  )
}

/** What strict decoding says, as an error, as warnings or not at all. */
export function reportStrictly(
  kind: Pick<ServedKind, 'kind' | 'version'>,
  said: readonly string[],
  options: WriteOptions,
): void {
  if (said.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Strict') {
    throw badRequest(
      `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: strict decoding error: ${said.join(', ')}`,
    )
  }
  for (const text of said) options.warn(text)
}

export function unknownMetadata(object: ApiObject): string[] {
  return Object.keys(object.metadata)
    .filter((field) => !metadataFields.has(field) && field !== 'selfLink')
    .map((field) => `metadata.${field}`)
}

function complaints(
  kind: ServedKind,
  { duplicates }: SentObject,
  object: ApiObject,
  unknownFields: readonly string[],
): string[] {
  const unknown = [...new Set([...unknownMetadata(object), ...unknownFields])]
  const notKnown = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  const twice = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
  return kind.builtIn ? [...notKnown, ...twice] : [...twice, ...notKnown]
}

function typed(kind: ServedKind, { value, text }: SentObject): ApiObject {
  if (!isObject(value)) throw unrecognized(kind, notAnObject, text)
  const expected = apiVersionOf(kind)
  const { apiVersion = '', kind: sentKind = '' } = value as { apiVersion?: string; kind?: string }
  if (!kind.builtIn && sentKind === '') {
    throw unrecognized(kind, `Object 'Kind' is missing in '${text}'`, text)
  }
  if (apiVersion !== '' && apiVersion !== expected) {
    if (kind.builtIn) throw noSuchVersion(kind, sentKind, apiVersion)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  }
  if (sentKind !== '' && sentKind !== kind.kind) throw otherKind(kind, sentKind, value)
  const metadata = isObject(value['metadata']) ? { ...value['metadata'] } : {}
  return { ...value, apiVersion: expected, kind: kind.kind, metadata } as unknown as ApiObject
}

const notAnObject = `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

export function unrecognized(kind: ServedKind, why: string, text: string): Refusal {
  const shown = text === '' ? '<empty>' : text.slice(0, 1024)
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${shown})`,
  )
}

function noSuchVersion({ kind }: ServedKind, sent: string, apiVersion: string): Refusal {
  const version = JSON.stringify(apiVersion)
  return badRequest(
    `${sent} in version ${version} cannot be handled as a ${kind}: no kind ${JSON.stringify(sent)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:100"`,
  )
}

function otherKind(kind: ServedKind, sent: string, value: Record<string, unknown>): Refusal {
  if (kind.builtIn) {
    return badRequest(
      `${sent} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: converting (${kind.version}.${sent}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`,
    )
  }
  const { name = '' } = (value['metadata'] ?? {}) as { name?: string }
  const refused = { group: kind.group, resource: kind.plural, kind: sent, name }
  return invalid(refused, [invalidValue('kind', sent, `must be ${kind.kind}`)])
}
