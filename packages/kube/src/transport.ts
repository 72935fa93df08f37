import { isUtf8 } from 'node:buffer'
import type { Asked } from './failure.ts'
import { ConnectionFailure } from './failure.ts'

/** One question to an API server. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Already escaped, starts with `/`; without query. */
  readonly path: string
  readonly query?: Query
  /** Sent as JSON. */
  readonly body?: unknown
  /** What the body is; `application/json` unless it is a patch. */
  readonly contentType?: string
  readonly accept?: string
  readonly signal?: AbortSignal
  /** How long the whole answer may take, retries included. */
  readonly timeoutMs?: number
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface StreamRequest extends Omit<Request, 'timeoutMs'> {
  /** Given up when no byte came for this long, from the first moment on. */
  readonly idleMs?: number
}

export interface Answer {
  readonly code: number
  readonly contentType: string
  readonly body: Uint8Array
}

/**
 * How questions reach an API server. A refusal is thrown as ApiFailure, everything a network does as
 * ConnectionFailure, and an aborted signal as its own reason.
 */
export interface Transport {
  request(request: Request): Promise<Answer>
  /**
   * Bytes as they come. A stream that the caller's signal aborts just ends. One that is ended on our side because the
   * credentials changed throws {@link StreamRetired}: ask again, nothing went wrong.
   */
  stream(request: StreamRequest): AsyncIterable<Uint8Array>
  /** Drops idle connections; what is under way finishes. */
  close(): void
}

/** The stream was ended on purpose, to be opened again on newer credentials. */
export class StreamRetired extends Error {
  constructor() {
    super('the stream was ended to use newer credentials')
    this.name = 'StreamRetired'
  }
}

export const askedOf = ({ method, path }: Pick<Request, 'method' | 'path'>): Asked => ({
  method,
  path,
})

/** The answer as JSON; anything else did not come from a Kubernetes API server. */
export function jsonOf(asked: Asked, answer: Answer): unknown {
  const { buffer, byteOffset, byteLength } = answer.body
  const body = Buffer.from(buffer, byteOffset, byteLength)
  // Decoding leniently would invent characters that nobody stored.
  if (!isUtf8(body)) throw new ConnectionFailure(asked, 'the answer is not UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ConnectionFailure(asked, notJson(answer))
  }
}

const notJson = (answer: Answer): string =>
  `the answer is not JSON (${answer.contentType || 'no content type'}, ${answer.body.byteLength} bytes): is this a Kubernetes API server?`

/** `?a=1&b=x%2Cy`, or nothing. Keys without a value are left out. */
export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
