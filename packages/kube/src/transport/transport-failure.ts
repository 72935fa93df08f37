import { isObject } from '@machinist/core/encoding/json'
import type { RequestLine, Status } from '../failure.ts'
import { ApiFailure, ConnectionFailure } from '../failure.ts'

/** A response with an error status. */
export interface ErrorResponse {
  readonly code: number
  readonly body: Uint8Array
  readonly retryAfter?: string
}

/** The failure with the message of the server's Status. The body of a proxy's error page is never quoted. */
export function apiFailure(request: RequestLine, response: ErrorResponse): ApiFailure {
  const status = parseStatus(response.body) ?? {}
  return new ApiFailure(
    request,
    response.code,
    {
      ...status,
      reason: status.reason ?? reasonOf(request, response.code),
      message: status.message ?? defaultMessage(response.code),
    },
    retryAfterMs(response.retryAfter),
  )
}

/** The failure in an ERROR event of a watch. */
export function eventFailure(request: RequestLine, object: unknown): ApiFailure {
  const status = toStatus(object) ?? {}
  return new ApiFailure(request, status.code ?? 500, status)
}

/** A socket error as a ConnectionFailure, without stack and raw bytes. */
export function connectionFailure(
  request: RequestLine,
  host: string,
  error: unknown,
): ConnectionFailure {
  const { code, message } = errorDetails(error)
  if (isTlsFailure(error)) {
    return new ConnectionFailure(request, `TLS handshake with ${host} failed: ${message} (${code})`)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new ConnectionFailure(request, `the connection to ${host} was reset (${code})`)
  }
  return new ConnectionFailure(request, `cannot reach ${host}: ${message}`)
}

/** Whether the TLS handshake failed, so that newer certificates may help. */
export function isTlsFailure(error: unknown): boolean {
  const { code } = errorDetails(error)
  return /^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_)/.test(
    code,
  )
}

function errorDetails(error: unknown): { code: string; message: string } {
  if (!isObject(error)) return { code: '', message: String(error) }
  const code = typeof error['code'] === 'string' ? error['code'] : ''
  // The message of OpenSSL contains addresses and file names; `reason` is the cause alone.
  const text = error['reason'] ?? error['message']
  const message = typeof text === 'string' ? text : ''
  // An AggregateError for several addresses has no message.
  return { code, message: message.split('\n', 1)[0] || code || 'unknown reason' }
}

function parseStatus(body: Uint8Array): Status | undefined {
  try {
    return toStatus(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return undefined
  }
}

function toStatus(value: unknown): Status | undefined {
  if (!isObject(value) || value['kind'] !== 'Status') return undefined
  const { code, reason, message, details, metadata } = value
  return {
    kind: 'Status',
    status: textOr(value['status']),
    code: typeof code === 'number' ? code : undefined,
    reason: textOr(reason),
    message: textOr(message),
    metadata: isObject(metadata) ? { continue: textOr(metadata['continue']) } : undefined,
    details: isObject(details) ? toDetails(details) : undefined,
  }
}

function toDetails(details: Record<string, unknown>): NonNullable<Status['details']> {
  const { retryAfterSeconds, causes } = details
  return {
    name: textOr(details['name']),
    group: textOr(details['group']),
    kind: textOr(details['kind']),
    uid: textOr(details['uid']),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    causes: Array.isArray(causes)
      ? causes.filter(isObject).map((cause) => ({
          reason: textOr(cause['reason']),
          message: textOr(cause['message']),
          field: textOr(cause['field']),
        }))
      : undefined,
  }
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Proxies and aggregated API servers may send no Status: derive the reason from the code. */
function reasonOf(request: RequestLine, code: number): string | undefined {
  if (code === 409 && request.method === 'POST') return 'AlreadyExists'
  return reasons[code]
}

function defaultMessage(code: number): string {
  const reason = reasons[code]
  return `the server returned ${code}${reason ? ` (${reason})` : ''} without a Status`
}

/** Parses Retry-After in seconds, the form that API servers and load balancers send. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : undefined
}
