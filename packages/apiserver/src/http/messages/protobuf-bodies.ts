import { decodeProtobuf } from '../../protobuf/decode-protobuf.ts'
import type { ProtobufReader } from './api-parts.ts'

/** Decodes protobuf request bodies of client-go; responses are JSON. */
export const protobufBodies: ProtobufReader = {
  read: (bytes) => decodeProtobuf(bytes).object,
}
