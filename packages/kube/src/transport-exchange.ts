import type { IncomingMessage } from 'node:http'
import { ConnectionFailure } from './failure.ts'
import { connectionFailure, isTlsFailure } from './transport-failure.ts'
import type { Lane } from './transport-lane.ts'
import type { Request } from './transport.ts'
import { askedOf, queryText } from './transport.ts'

/** A request on its way: `signal` is every reason to give up, in one. */
export interface Question {
  readonly request: Request
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
}

/** What became of sending it. An aborted signal is thrown, not returned. */
export type Outcome = Answered | Unanswered

export interface Answered {
  readonly response: IncomingMessage
  readonly lane: Lane
}

export interface Unanswered {
  readonly failure: ConnectionFailure
  /** The two sides did not trust each other: newer certificates may help. */
  readonly tls: boolean
  /** The server had closed this idle connection a moment ago; it never saw the request. */
  readonly stale: boolean
}

/** Sends and waits for the head of the answer. An aborted signal destroys the socket, before or after that. */
export function exchange(lane: Lane, { request, headers, signal }: Question): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const payload = request.body === undefined ? undefined : JSON.stringify(request.body)
    const outgoing = lane.send(request.method, request.path + queryText(request.query), {
      ...headers,
      ...bodyHeaders(request, payload),
    })
    const abort = (): void => void outgoing.destroy()
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('close', () => signal.removeEventListener('abort', abort))
    outgoing.on('response', (response) => resolve({ response, lane }))
    outgoing.on('error', (error) => {
      if (signal.aborted) return reject(signal.reason)
      const failure = connectionFailure(askedOf(request), lane.host, error)
      const stale = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET'
      resolve({ failure, tls: isTlsFailure(error), stale })
    })
    outgoing.end(payload)
  })
}

function bodyHeaders(request: Request, payload: string | undefined): Record<string, string> {
  if (payload === undefined) return {}
  return {
    'content-type': request.contentType ?? 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  }
}

/**
 * The bytes of an answer as they come; a cut becomes a ConnectionFailure, an abort the signal's reason. Who stops reading
 * in the middle has the socket destroyed: a stream's iterator does that.
 */
export async function* chunksOf(question: Question, answered: Answered): AsyncIterable<Buffer> {
  const { response, lane } = answered
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) yield chunk
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason
    throw connectionFailure(askedOf(question.request), lane.host, error)
  }
}

/** The whole answer, unzipped; `undefined` when it is longer than `limit` bytes. */
export async function bodyOf(
  question: Question,
  answered: Answered,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(question, answered)) {
    size += chunk.length
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
  if (answered.response.headers['content-encoding'] !== 'gzip') return body
  return await unzipped(question, body, limit)
}

function unzipped(question: Question, body: Buffer, limit: number): Promise<Buffer | undefined> {
  const { gunzip } = process.getBuiltinModule('node:zlib')
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: limit }, (error, plain) => {
      if (!error) resolve(plain)
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') resolve(undefined)
      else reject(new ConnectionFailure(askedOf(question.request), 'the answer is not valid gzip'))
    })
  })
}
