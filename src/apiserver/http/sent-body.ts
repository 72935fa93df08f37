import { messageOf } from '../../base/errors.ts'
import { parseYaml } from '../../base/yaml.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { badRequest } from '../refusal.ts'
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
  const { type } = parseMediaType(contentType ?? 'application/json')
  if (type === 'application/vnd.kubernetes.protobuf' && protobuf) {
    return { value: protobuf.read(body, kind), text: '', duplicates: [] }
  }
  const text = body.toString('utf8')
  if (type === 'application/json' || type === '') return json(kind, text)
  if (type === 'application/yaml') return yaml(kind, text)
  throw unknownBody()
}

/** The body of a patch: JSON, and YAML for an apply. */
export function sentPatch(mediaType: string, body: Buffer): unknown {
  const text = body.toString('utf8')
  try {
    return mediaType.endsWith('+yaml') ? parseYaml(text, 'the body') : readJson(text).value
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`)
  }
}

/** DeleteOptions, which may be left out. */
export function sentOptions(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined
  const { type } = parseMediaType(contentType ?? 'application/json')
  const text = body.toString('utf8')
  try {
    return type === 'application/yaml' ? parseYaml(text, 'the body') : readJson(text).value
  } catch (error) {
    throw badRequest(`the options could not be read: ${messageOf(error)}`)
  }
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
    return { value: parseYaml(text, 'the body'), text, duplicates: [] }
  } catch (error) {
    throw unrecognized(kind, `couldn't get version/kind; ${messageOf(error)}`, text)
  }
}
