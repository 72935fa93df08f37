import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sha256Hex } from '@machinist/core/encoding/digest'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import type { ServedConfig } from '../answer/answer.ts'

/** The bytes of a response, with their strong ETag. */
export interface Representation {
  readonly bytes: Uint8Array
  readonly etag: string
  readonly encoding?: 'gzip'
}

/** A config that is ready to be sent. Secret. */
export class PreparedConfig {
  readonly type = 'config'
  /** The rendered MachineConfig. */
  readonly name: string
  readonly version: IgnitionVersion
  readonly plain: Representation
  #compressed: Promise<Representation> | undefined

  constructor({ name, version, body }: ServedConfig) {
    this.name = name
    this.version = version
    const bytes = Buffer.from(body)
    this.plain = { bytes, etag: etagOf(bytes) }
  }

  /** Compressed in another thread at the first call: Ignition does not request it. */
  compressed(): Promise<Representation> {
    this.#compressed ??= compress(this.plain.bytes)
    return this.#compressed
  }
}

async function compress(plain: Uint8Array): Promise<Representation> {
  const bytes = await promisify(gzip)(plain)
  return { bytes, etag: etagOf(bytes), encoding: 'gzip' }
}

const etagOf = (bytes: Uint8Array): string => `"${sha256Hex(bytes)}"`
