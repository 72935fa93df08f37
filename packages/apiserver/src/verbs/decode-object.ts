import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { NumberText, valueName } from '../protobuf/go-scalars.ts'
import { messageOfKind } from '../protobuf/messages.ts'
import { mistypedField, mistypedMetadata } from '../protobuf/mistyped-field.ts'
import type { StatusError } from '../status/status-error.ts'
import { badRequest, invalid } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'
import { mistypedEmbedded } from '../objects/embedded-resources.ts'
import { apiVersionOf, metadataFields } from '../objects/stored-object.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

/** A decoded JSON, YAML or protobuf body. */
export interface SentObject {
  readonly value: unknown
  /** Its source, for messages. */
  readonly text: string
  /** Duplicate field paths. */
  readonly duplicates: readonly string[]
}

/** The object that a client sent, converted to its kind; throws a StatusError if it has another kind. */
export function decodedObject(
  kind: ServedKind,
  sent: SentObject,
  options: WriteOptions,
  context: Pick<VerbContext, 'schemas'>,
): ApiObject {
  const object = typed(kind, sent)
  checkTypes(kind, sent, object)
  const pruned = context.schemas.of(kind)?.prune(object) ?? { object, unknown: [] }
  reportStrictProblems(complaints(kind, sent, object, pruned.unknown), options, (why) =>
    cannotBeHandled(kind, why),
  )
  return pruned.object
}

function checkTypes(kind: ServedKind, sent: SentObject, object: ApiObject): void {
  const value = withNumberTexts(sent) ?? object
  const problem = typeProblem(kind, value)
  if (problem !== undefined) throw cannotBeHandled(kind, problem)
}

/** Go's decoding error for the first value of a wrong type. */
export function typeProblem(kind: ServedKind, value: unknown): string | undefined {
  const message = kind.builtIn ? messageOfKind(apiVersionOf(kind), kind.kind) : undefined
  if (message) return mistypedField(message, value ?? {})
  return mistypedMetadata((value as ApiObject).metadata ?? {}) ?? mistypedEmbedded(kind, value)
}

/** Go rejects integers in float notation, which JavaScript's parser does not preserve. */
function withNumberTexts({ value, text }: SentObject): unknown {
  if (!oddNumber.test(text) || !text.startsWith('{')) return value
  try {
    return parseWithSource(text, (_, member, { source }) =>
      typeof member === 'number' ? new NumberText(source) : member,
    )
  } catch {
    // YAML.
    return value
  }
}

const oddNumber = /[[,:\s]-?(?:\d+(?:\.\d|[eE])|\d{16})/
type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown

const cannotBeHandled = (
  { kind, version }: Pick<ServedKind, 'kind' | 'version'>,
  why: string,
): StatusError =>
  badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)

/** Reports strict decoding problems as an error, as warnings or not at all. */
export function reportStrictProblems(
  problems: readonly string[],
  options: WriteOptions,
  errorFor: (why: string) => StatusError,
): void {
  if (problems.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Strict') {
    throw errorFor(`strict decoding error: ${problems.join(', ')}`)
  }
  for (const text of problems) options.warn(text)
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

function typed(kind: ServedKind, { value: sent, text }: SentObject): ApiObject {
  const value = sent ?? {}
  if (!isObject(value)) {
    throw unrecognized(kind, `${unreadable} ${valueName(value)} ${notAnObject}`, text)
  }
  const expected = apiVersionOf(kind)
  const apiVersion = textOf(kind, value, 'apiVersion', text)
  const sentKind = textOf(kind, value, 'kind', text)
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

function textOf(
  kind: ServedKind,
  value: Readonly<Record<string, unknown>>,
  field: 'apiVersion' | 'kind',
  text: string,
): string {
  const given = value[field] ?? ''
  if (typeof given === 'string') return given
  const why = `${unreadable} ${valueName(given)} into Go struct field .${field} of type string`
  throw unrecognized(kind, why, text)
}

const unreadable = `couldn't get version/kind; json parse error: json: cannot unmarshal`
const notAnObject = `into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

export function unrecognized(kind: ServedKind, why: string, text: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(text)})`,
  )
}

/** The beginning of a body; binary content in hexadecimal. */
function summary(text: string): string {
  if (text === '') return '<empty>'
  const bytes = Buffer.from(text)
  const beginning = bytes.subarray(0, 30).toString(text.startsWith('{') ? 'utf8' : 'hex')
  return bytes.length > 30 ? `${beginning} ...` : beginning
}

function noSuchVersion({ kind }: ServedKind, sent: string, apiVersion: string): StatusError {
  const version = JSON.stringify(apiVersion)
  return badRequest(
    `${sent} in version ${version} cannot be handled as a ${kind}: no kind ${JSON.stringify(sent)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:100"`,
  )
}

function otherKind(kind: ServedKind, sent: string, value: Record<string, unknown>): StatusError {
  if (kind.builtIn) {
    return badRequest(
      `${sent} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: converting (${kind.version}.${sent}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`,
    )
  }
  const { name = '' } = (value['metadata'] ?? {}) as { name?: string }
  const errorObject = { group: kind.group, resource: kind.plural, kind: sent, name }
  return invalid(errorObject, [invalidValue('kind', sent, `must be ${kind.kind}`)])
}
