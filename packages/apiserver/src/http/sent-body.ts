import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import { parseYaml } from '@machinist/core/yaml'
import type { ServedKind } from '../kinds/served-kind.ts'
import { goJsonType } from '../patch/go-text.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { SentObject } from '../verbs/decode-object.ts'
import { unrecognized } from '../verbs/decode-object.ts'
import type { ProtobufReader } from './api-parts.ts'
import { JsonProblem, readJson } from './json-scan.ts'
import { parseMediaType, unknownBody } from './media-types.ts'

/** The body of a create or an update. */
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

/** The body of a patch: JSON, and YAML for an apply. */
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

/** DeleteOptions, which may be left out. */
export function sentOptions(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined
  const options = readOptions(bodyType(contentType), body.toString('utf8')) ?? {}
  if (!isObject(options))
    throw unreadable(`json: cannot unmarshal ${goJsonType(options)} ${noKind}`)
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = options
  if (kind !== 'DeleteOptions') {
    const [sent, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)]
    const why = `no kind ${sent} is registered for version ${version} in scheme "pkg/runtime/scheme.go:100"`
    throw new Refusal(500, '', why)
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

/** kube-apiserver takes options that it cannot read for a mistake of its own. */
const unreadable = (why: string): Refusal =>
  new Refusal(500, '', `couldn't get version/kind; json parse error: ${why}`)

const noKind = `into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

/** Longer ones could make reading them slow. */
const longestType = 256
const mediaType = /^[^\s;=,]+(?:\s*;\s*[^\s;=,]+=(?:"[^"]*"|[^\s;,"]+))*(?:\s*;)?\s*$/

/** What a body is; JSON where nothing is said. */
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

/** More than objects that can be stored have, and less than a small server has memory for. */
const mostYamlTokens = 500_000

const parseYamlBody = (text: string): unknown => parseYaml(text, 'the body', mostYamlTokens)
