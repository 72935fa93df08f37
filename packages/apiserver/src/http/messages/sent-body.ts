import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { goJsonType } from '../../go/value-text.ts'
import { badRequest, StatusError } from '../../status/status-error.ts'
import type { SentObject } from '../../verbs/decode-object.ts'
import { unrecognized } from '../../verbs/decode-object.ts'
import type { ProtobufReader } from './api-parts.ts'
import { JsonProblem, readJson } from './json-scan.ts'
import { parseMediaType, unknownBody } from './media-types.ts'

/** The body of a create or update. */
export function sentObject(
  kind: ServedKind,
  contentType: string | undefined,
  body: Buffer,
  protobuf?: ProtobufReader,
): SentObject {
  const type = bodyType(contentType)
  if (type === 'application/vnd.kubernetes.protobuf' && protobuf) {
    return { value: protobuf.read(body, kind), text: '', duplicates: [] }
  }
  const text = body.toString('utf8')
  if (type === 'application/json') return json(kind, text)
  if (type === 'application/yaml') return yaml(kind, text)
  throw unknownBody()
}

/** The body of a patch: JSON, or YAML for an apply. */
export function sentPatch(
  mediaType: string,
  body: Buffer,
): { body: unknown; duplicates: readonly string[] } {
  const text = body.toString('utf8')
  try {
    if (mediaType.endsWith('+yaml')) return { body: parseYamlBody(text), duplicates: [] }
    const { value, duplicates } = readJson(text)
    return { body: value, duplicates }
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`)
  }
}

/** The optional DeleteOptions body. */
export function sentOptions(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined
  const options = readOptions(bodyType(contentType), body.toString('utf8')) ?? {}
  if (!isObject(options))
    throw unreadable(`json: cannot unmarshal ${goJsonType(options)} ${noKind}`)
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = options
  if (kind !== 'DeleteOptions') {
    const [sent, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)]
    const why = `no kind ${sent} is registered for version ${version} in scheme "pkg/runtime/scheme.go:100"`
    throw new StatusError(500, '', why)
  }
  return options
}

function readOptions(type: string, text: string): unknown {
  try {
    if (type === 'application/json') return readJson(text).value
    if (type === 'application/yaml') return parseYamlBody(text)
  } catch (error) {
    throw unreadable(messageOf(error))
  }
  throw unknownBody()
}

/** kube-apiserver answers unreadable options with an internal error. */
const unreadable = (why: string): StatusError =>
  new StatusError(500, '', `couldn't get version/kind; json parse error: ${why}`)

const noKind = `into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

/** Longer values could make parsing slow. */
const longestType = 256
const mediaType = /^[^\s;=,]+(?:\s*;\s*[^\s;=,]+=(?:"[^"]*"|[^\s;,"]+))*(?:\s*;)?\s*$/

/** The media type of a body; default: JSON. */
function bodyType(contentType: string | undefined): string {
  if (!contentType) return 'application/json'
  if (contentType.length > longestType || !mediaType.test(contentType)) throw unknownBody()
  return parseMediaType(contentType).type
}

function json(kind: ServedKind, text: string): SentObject {
  try {
    return { ...readJson(text), text }
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, text)
  }
}

function yaml(kind: ServedKind, text: string): SentObject {
  try {
    return { value: parseYamlBody(text), text, duplicates: [] }
  } catch (error) {
    throw unrecognized(kind, `couldn't get version/kind; ${messageOf(error)}`, text)
  }
}

/** More tokens than storable objects have, and few enough for a small server's memory. */
const maxYamlTokens = 500_000

const parseYamlBody = (text: string): unknown => parseYaml(text, 'the body', maxYamlTokens)
