import { isUtf8 } from 'node:buffer'
import type { RequestLine } from '../failure.ts'
import { ConnectionFailure } from '../failure.ts'

/** One request to an API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Escaped, starts with `/`, without the query. */
  readonly path: string
  readonly query?: QueryParameters
  /** Sent as JSON. */
  readonly body?: unknown
  /** Media type of the body; `application/json` by default. */
  readonly contentType?: string
  readonly accept?: string
  readonly signal?: AbortSignal
  /** Deadline for the complete response, including retries. */
  readonly timeoutMs?: number
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>

export interface StreamRequest extends Omit<ApiRequest, 'timeoutMs'> {
  /** Abort when no byte arrives for this long, starting with the request. */
  readonly idleMs?: number
}

export interface ApiResponse {
  readonly code: number
  readonly contentType: string
  readonly body: Uint8Array
}

/**
 * Sends requests to an API server. It throws ApiFailure for an error response, ConnectionFailure for network errors, and
 * the reason of an aborted signal.
 */
export interface Transport {
  request(request: ApiRequest): Promise<ApiResponse>
  /**
   * The bytes of the response as they arrive. The stream ends when the caller's signal aborts. It throws
   * {@link StreamRetired} when the transport closes it because the credentials changed: open it again.
   */
  stream(request: StreamRequest): AsyncIterable<Uint8Array>
  /** Closes idle connections; requests in flight finish. */
  close(): void
}

/** The transport closed the stream so that the caller reopens it with newer credentials. */
export class StreamRetired extends Error {
  constructor() {
    super('the stream was closed to use newer credentials')
    this.name = 'StreamRetired'
  }
}

export const requestLine = ({
  method,
  path,
}: Pick<ApiRequest, 'method' | 'path'>): RequestLine => ({
  method,
  path,
})

/** Parses the body as JSON; every other body does not come from a Kubernetes API server. */
export function parseJsonBody(request: RequestLine, response: ApiResponse): unknown {
  const { buffer, byteOffset, byteLength } = response.body
  const body = Buffer.from(buffer, byteOffset, byteLength)
  // Lenient decoding would replace invalid bytes with characters that are not in the object.
  if (!isUtf8(body)) throw new ConnectionFailure(request, 'the response is not UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ConnectionFailure(request, notJsonMessage(response))
  }
}

const notJsonMessage = (response: ApiResponse): string =>
  `the response is not JSON (${response.contentType || 'no content type'}, ${response.body.byteLength} bytes): check that the address is a Kubernetes API server`

/** `?a=1&b=x%2Cy`, or the empty string. Parameters without a value are omitted. */
export function encodeQuery(query: QueryParameters = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
