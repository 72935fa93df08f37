/** The `Status` object that a Kubernetes API server returns with an error. */
export interface Status {
  readonly kind?: string
  readonly status?: string
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  /** An expired page carries a continue token that resumes the list without a consistent snapshot. */
  readonly metadata?: { readonly continue?: string }
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly uid?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly StatusCause[]
  }
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** Method and path of a request, for messages: `GET /api/v1/nodes/worker-1`. Contains no body and no header. */
export interface RequestLine {
  readonly method: string
  readonly path: string
}

/** The API server returned an error status. */
export class ApiFailure extends Error {
  readonly code: number
  readonly reason: string
  readonly status: Status
  readonly request: RequestLine
  readonly #retryAfterMs: number | undefined

  /** `retryAfterMs` comes from the Retry-After header; `details.retryAfterSeconds` of the Status overrides it. */
  constructor(request: RequestLine, code: number, status: Status, retryAfterMs?: number) {
    const text = status.message ?? `the server returned ${code} without a message`
    super(`${request.method} ${request.path}: ${text}`)
    this.name = 'ApiFailure'
    this.request = request
    this.code = code
    this.reason = status.reason ?? ''
    this.status = status
    this.#retryAfterMs = retryAfterMs
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? []
  }

  /** How long to wait before a retry, if the server specifies it. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds
    return seconds === undefined ? this.#retryAfterMs : seconds * 1000
  }
}

/** No complete response: connection refused, reset or cut off, timeout, or not a Kubernetes response. */
export class ConnectionFailure extends Error {
  readonly request: RequestLine

  constructor(request: RequestLine, message: string, options?: ErrorOptions) {
    super(`${request.method} ${request.path}: ${message}`, options)
    this.name = 'ConnectionFailure'
    this.request = request
  }
}

/** A watch stream contains data that is not a watch event. A resume from the same version may return the same data. */
export class UnreadableEvent extends ConnectionFailure {
  constructor(request: RequestLine, message: string) {
    super(request, message)
    this.name = 'UnreadableEvent'
  }
}

const withCode =
  (code: number, reason?: string) =>
  (error: unknown): error is ApiFailure =>
    error instanceof ApiFailure &&
    error.code === code &&
    (reason === undefined || error.reason === reason)

export const isNotFound = withCode(404)

/** The result of the request; undefined if the object, or its kind, does not exist. */
export function ignoreNotFound<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
}

export const isConflict = withCode(409, 'Conflict')
export const isAlreadyExists = withCode(409, 'AlreadyExists')
export const isInvalid = withCode(422)
export const isForbidden = withCode(403)
export const isUnauthorized = withCode(401)
/** The requested resourceVersion is no longer in the server's history: list again. */
export const isExpired = withCode(410)

const refusalCodes: ReadonlySet<number> = new Set([400, 403, 413, 422])

/** The server rejects the content of the request: a retry cannot succeed until a user changes something. */
export const isRefused = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && refusalCodes.has(error.code)

/** Describes what the server rejected and which fields. The server's message is left out: it may quote secrets from the request. */
export function describeRefusal(subject: string, { code, reason, causes }: ApiFailure): string {
  const causeTexts = new Set(
    causes.map((cause) => {
      const causeReason = oneWord(cause.reason)
      return cause.field && causeReason
        ? `${cause.field} (${causeReason})`
        : (cause.field ?? causeReason)
    }),
  )
  const fields = [...causeTexts].filter(Boolean).join(', ')
  const status = [code, oneWord(reason)].filter(Boolean).join(' ')
  return `the API server refused ${subject} (${status})${fields && ` because of ${fields}`}`
}

/**
 * The same failure without the server's message, for requests that may contain secrets. Internal errors (500) may quote the
 * request, too.
 */
export function withoutServerMessage(error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error
  const { request, code, reason, causes, status, retryAfterMs } = error
  const message = describeRefusal('it', error)
  const fieldCauses = causes.flatMap(({ field }) => (field === undefined ? [] : [{ field }]))
  const details = status.details && { ...status.details, causes: fieldCauses }
  const redacted = { ...status, reason: oneWord(reason), message, ...(details && { details }) }
  return new ApiFailure(request, code, redacted, retryAfterMs)
}

/** Reasons are one word by convention, but some webhooks put a sentence into the field. */
const oneWord = (reason = ''): string => (/^[A-Za-z]{1,63}$/.test(reason) ? reason : '')
