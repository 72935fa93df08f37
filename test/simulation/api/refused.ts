import type { Status, StatusCause } from '@machinist/kube/failure'

/** A rejected request. */
export class Refused extends Error {
  readonly status: Status & { readonly code: number }

  constructor(
    code: number,
    reason: string,
    message: string,
    details: { readonly retryAfterSeconds?: number; readonly causes?: readonly StatusCause[] } = {},
  ) {
    super(message)
    this.name = 'Refused'
    this.status = { kind: 'Status', status: 'Failure', code, reason, message, details }
  }
}

export const notFound = (what: string): Refused => new Refused(404, 'NotFound', `${what} not found`)

export const conflict = (what: string): Refused =>
  new Refused(409, 'Conflict', `${what} has been changed: apply your changes to the newest version`)

export const expired = (): Refused =>
  new Refused(410, 'Expired', 'too old resource version: history is gone')

/** The response of a server that is overloaded or starting. */
export const unavailable = (code: number): Refused =>
  code === 429
    ? new Refused(429, 'TooManyRequests', 'the server is busy', { retryAfterSeconds: 1 })
    : new Refused(code, code === 503 ? 'ServiceUnavailable' : 'InternalError', 'simulated trouble')
