import type { IncomingMessage } from 'node:http'
import { StatusError } from '../../status/status-error.ts'

const maxBytes = 3 * 1024 * 1024

/** Reads the whole body, up to the size limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // Do not destroy the request: the error response uses the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = chunk as Buffer
    bytes += part.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maxBytes}`)
