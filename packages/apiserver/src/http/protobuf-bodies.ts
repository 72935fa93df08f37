import { decodeProtobuf } from '../protobuf/decode-protobuf.ts'
import type { ProtobufReader } from './api-parts.ts'

/** Bodies that client-go sends in protobuf; answers are JSON all the same. */
export const protobufBodies: ProtobufReader = {
  read: (bytes) => decodeProtobuf(bytes).object,
}
