import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

const mostBytes = 3 * 1024 * 1024

/** The whole body, as long as it is not too long. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // Without destroying it: the refusal still has to go out on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = chunk as Buffer
    bytes += part.length
    if (bytes > mostBytes) throw tooLarge()
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (): Refusal =>
  new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${mostBytes}`)
