import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

const mostBytes = 3 * 1024 * 1024

/** The whole body, as long as it is not too long. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (): Refusal =>
  new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${mostBytes}`)
