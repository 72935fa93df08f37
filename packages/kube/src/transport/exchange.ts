import type { IncomingMessage } from 'node:http'
import { ConnectionFailure } from '../failure.ts'
import { connectionFailure, isTlsFailure } from './transport-failure.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { ApiRequest } from './transport.ts'
import { requestLine, encodeQuery } from './transport.ts'

/** A request with its headers and a signal that combines the caller's signal and the deadline. */
export interface PreparedRequest {
  readonly request: ApiRequest
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
}

/** The result of sending a request. The reason of an aborted signal is thrown, not returned. */
export type ExchangeResult = ReceivedResponse | FailedExchange

export interface ReceivedResponse {
  readonly response: IncomingMessage
  readonly pool: ConnectionPool
}

export interface FailedExchange {
  readonly failure: ConnectionFailure
  /** The TLS handshake failed: newer certificates may help. */
  readonly tls: boolean
  /** The server closed the idle connection before it received the request. */
  readonly stale: boolean
}

/** Sends a request and waits for the response head. An aborted signal destroys the socket at any time. */
export function exchange(
  pool: ConnectionPool,
  { request, headers, signal }: PreparedRequest,
): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const payload = request.body === undefined ? undefined : JSON.stringify(request.body)
    const outgoing = pool.send(request.method, request.path + encodeQuery(request.query), {
      ...headers,
      ...bodyHeaders(request, payload),
    })
    const abort = (): void => void outgoing.destroy()
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('close', () => signal.removeEventListener('abort', abort))
    outgoing.on('response', (response) => resolve({ response, pool }))
    outgoing.on('error', (error) => {
      if (signal.aborted) return reject(signal.reason)
      const failure = connectionFailure(requestLine(request), pool.host, error)
      const stale = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET'
      resolve({ failure, tls: isTlsFailure(error), stale })
    })
    outgoing.end(payload)
  })
}

function bodyHeaders(request: ApiRequest, payload: string | undefined): Record<string, string> {
  if (payload === undefined) return {}
  return {
    'content-type': request.contentType ?? 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  }
}

/**
 * Yields the bytes of a response as they arrive. Throws ConnectionFailure if the connection breaks, and the reason of an
 * aborted signal. The iterator of the stream destroys the socket when the caller stops reading early.
 */
export async function* readChunks(
  prepared: PreparedRequest,
  received: ReceivedResponse,
): AsyncIterable<Buffer> {
  const { response, pool } = received
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) yield chunk
  } catch (error) {
    if (prepared.signal.aborted) throw prepared.signal.reason
    throw connectionFailure(requestLine(prepared.request), pool.host, error)
  }
}

/** Reads the whole body and decompresses it; `undefined` if it is longer than `limit` bytes. */
export async function readBody(
  prepared: PreparedRequest,
  received: ReceivedResponse,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of readChunks(prepared, received)) {
    size += chunk.length
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
  if (received.response.headers['content-encoding'] !== 'gzip') return body
  return await gunzipBody(prepared, body, limit)
}

function gunzipBody(
  prepared: PreparedRequest,
  body: Buffer,
  limit: number,
): Promise<Buffer | undefined> {
  const { gunzip } = process.getBuiltinModule('node:zlib')
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: limit }, (error, plain) => {
      if (!error) resolve(plain)
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') resolve(undefined)
      else
        reject(
          new ConnectionFailure(requestLine(prepared.request), 'the response is not valid gzip'),
        )
    })
  })
}
