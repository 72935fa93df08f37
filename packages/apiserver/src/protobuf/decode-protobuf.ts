import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { JsonObject } from '@machinist/core/encoding/json'
import { badRequest, StatusError } from '../status/status-error.ts'
import { decodeMessage } from './decode-message.ts'
import { messagesOf } from './message-text.ts'
import { messageOfKind } from './messages.ts'
import { WireReader, malformed } from './wire-reader.ts'

export interface DecodedBody {
  readonly apiVersion: string
  readonly kind: string
  /** The object as a JSON request would contain it. */
  readonly object: JsonObject
}

/** Decodes a body of content type `application/vnd.kubernetes.protobuf`. Throws a StatusError. */
export function decodeProtobuf(bytes: Uint8Array): DecodedBody {
  const { apiVersion, kind, raw } = unwrap(bytes)
  const message = messageOfKind(apiVersion, kind)
  if (!message) {
    const what = `kind "${kind}" in version "${apiVersion}" is not understood in protobuf`
    const advice = 'send application/json or application/yaml'
    throw new StatusError(415, 'UnsupportedMediaType', `${what}: ${advice}`)
  }
  const object = { apiVersion, kind, ...decodeMessage(raw, message) }
  return { apiVersion, kind, object }
}

/** Removes the envelope: four magic bytes and the message runtime.Unknown. */
function unwrap(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  if (!magic.every((byte, i) => bytes[i] === byte)) throw malformed('it does not begin with k8s\\0')
  const reader = new WireReader(bytes.subarray(magic.length))
  let typeMeta: JsonObject = {}
  let raw: Uint8Array = new Uint8Array()
  while (!reader.done) {
    const { number, type } = reader.field()
    if (type !== 'bytes') {
      reader.skip(type)
      continue
    }
    const value = reader.bytes()
    if (number === 1) typeMeta = decodeMessage(value, typeMetaMessage)
    if (number === 2) raw = value
    if (number === 3 && value.length > 0) {
      throw badRequest(`content encoding ${JSON.stringify(lenientUtf8(value))} is not understood`)
    }
  }
  const { apiVersion, kind } = typeMeta
  if (typeof apiVersion !== 'string') throw malformed("the object's apiVersion is missing")
  if (typeof kind !== 'string') throw malformed("the object's kind is missing")
  return { apiVersion, kind, raw }
}

const magic = [0x6b, 0x38, 0x73, 0x00]

const typeMetaMessage = messagesOf('runtime', 'TypeMeta: 1 apiVersion string, 2 kind string')[0]!
