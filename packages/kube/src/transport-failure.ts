import { isObject } from '@machinist/core/json'
import type { Asked, Status } from './failure.ts'
import { ApiFailure, ConnectionFailure } from './failure.ts'

/** What came back when the server said no. */
export interface Refusal {
  readonly code: number
  readonly body: Uint8Array
  readonly retryAfter?: string
}

/** A refusal with the server's own words, where it sent a Status; a proxy's page is never quoted. */
export function apiFailure(asked: Asked, refusal: Refusal): ApiFailure {
  const status = statusIn(refusal.body) ?? {}
  return new ApiFailure(
    asked,
    refusal.code,
    {
      ...status,
      reason: status.reason ?? reasonOf(asked, refusal.code),
      message: status.message ?? wordsFor(refusal.code),
    },
    retryAfterMs(refusal.retryAfter),
  )
}

/** The failure that an ERROR event of a watch carries. */
export function failureInEvent(asked: Asked, object: unknown): ApiFailure {
  const status = asStatus(object) ?? {}
  return new ApiFailure(asked, status.code ?? 500, status)
}

/** What a socket said, in our words. Neither stack nor raw bytes are kept. */
export function connectionFailure(asked: Asked, host: string, error: unknown): ConnectionFailure {
  const { code, message } = told(error)
  if (isTlsFailure(error)) {
    return new ConnectionFailure(asked, `no TLS connection to ${host}: ${message} (${code})`)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new ConnectionFailure(asked, `the connection to ${host} was cut (${code})`)
  }
  return new ConnectionFailure(asked, `cannot reach ${host}: ${message}`)
}

/** Did the two sides fail to trust each other, so that newer certificates may help? */
export function isTlsFailure(error: unknown): boolean {
  const { code } = told(error)
  return /^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_)/.test(
    code,
  )
}

function told(error: unknown): { code: string; message: string } {
  if (!isObject(error)) return { code: '', message: String(error) }
  const code = typeof error['code'] === 'string' ? error['code'] : ''
  // OpenSSL puts addresses and file names into the message; its reason is what it means.
  const said = error['reason'] ?? error['message']
  const message = typeof said === 'string' ? said : ''
  // When several addresses were tried the error of all of them has no message of its own.
  return { code, message: message.split('\n', 1)[0] || code || 'unknown reason' }
}

function statusIn(body: Uint8Array): Status | undefined {
  try {
    return asStatus(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return undefined
  }
}

function asStatus(value: unknown): Status | undefined {
  if (!isObject(value) || value['kind'] !== 'Status') return undefined
  const { code, reason, message, details, metadata } = value
  return {
    kind: 'Status',
    status: textOr(value['status']),
    code: typeof code === 'number' ? code : undefined,
    reason: textOr(reason),
    message: textOr(message),
    metadata: isObject(metadata) ? { continue: textOr(metadata['continue']) } : undefined,
    details: isObject(details) ? detailsOf(details) : undefined,
  }
}

function detailsOf(details: Record<string, unknown>): NonNullable<Status['details']> {
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

/** Proxies and aggregated servers answer without a Status; the code still says what happened. */
function reasonOf(asked: Asked, code: number): string | undefined {
  if (code === 409 && asked.method === 'POST') return 'AlreadyExists'
  return reasons[code]
}

function wordsFor(code: number): string {
  const reason = reasons[code]
  return `the server answered ${code}${reason ? ` (${reason})` : ''} without a Status that says why`
}

/** Seconds only: what API servers and load balancers send. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : undefined
}
