/** The `Status` object in which a Kubernetes API server wraps a refusal. */
export interface Status {
  readonly kind?: string
  readonly status?: string
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  /** An expired page comes with a token to go on from, at the price of consistency. */
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

/** What was asked, for messages: `GET /api/v1/nodes/worker-1`. Never holds a body or a header. */
export interface Asked {
  readonly method: string
  readonly path: string
}

/** The server answered, and the answer was no. */
export class ApiFailure extends Error {
  readonly code: number
  readonly reason: string
  readonly status: Status
  readonly asked: Asked
  readonly #retryAfterMs: number | undefined

  /** `retryAfterMs` is what the Retry-After header said; the Status may say it as well. */
  constructor(asked: Asked, code: number, status: Status, retryAfterMs?: number) {
    const text = status.message ?? `the server answered ${code} without saying why`
    super(`${asked.method} ${asked.path}: ${text}`)
    this.name = 'ApiFailure'
    this.asked = asked
    this.code = code
    this.reason = status.reason ?? ''
    this.status = status
    this.#retryAfterMs = retryAfterMs
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? []
  }

  /** How long the server asks us to stay away, if it said so. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds
    return seconds === undefined ? this.#retryAfterMs : seconds * 1000
  }
}

/** No (whole) answer came: refused, reset, timed out, cut off, or not what an API server says. */
export class ConnectionFailure extends Error {
  readonly asked: Asked

  constructor(asked: Asked, message: string, options?: ErrorOptions) {
    super(`${asked.method} ${asked.path}: ${message}`, options)
    this.name = 'ConnectionFailure'
    this.asked = asked
  }
}

/** A watch sent something that is no event. Asking from the same version again may well bring the same again. */
export class UnreadableEvent extends ConnectionFailure {
  constructor(asked: Asked, message: string) {
    super(asked, message)
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

/** What was asked for; undefined if it, or its kind, is not there. */
export function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
}

export const isConflict = withCode(409, 'Conflict')
export const isAlreadyExists = withCode(409, 'AlreadyExists')
export const isInvalid = withCode(422)
export const isForbidden = withCode(403)
export const isUnauthorized = withCode(401)
/** The version asked for is no longer in the server's history: list again. */
export const isExpired = withCode(410)

const refusals: ReadonlySet<number> = new Set([400, 403, 413, 422])

/** Refused for what it says: asking again does not help until somebody changes something. */
export const isRefused = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && refusals.has(error.code)

/** What was refused and where. The server's own words may quote what was sent, and there may be secrets in it. */
export function refusalInWords(what: string, { code, reason, causes }: ApiFailure): string {
  const places = new Set(
    causes.map((cause) => {
      const why = oneWord(cause.reason)
      return cause.field && why ? `${cause.field} (${why})` : (cause.field ?? why)
    }),
  )
  const where = [...places].filter(Boolean).join(', ')
  const said = [code, oneWord(reason)].filter(Boolean).join(' ')
  return `the API server refused ${what} (${said})${where && ` because of ${where}`}`
}

/**
 * The same refusal without the server's own words, for who sends something that may hold secrets. Where the server says that
 * it failed (500) it may quote, too.
 */
export function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error
  const { asked, code, reason, causes, status, retryAfterMs } = error
  const message = refusalInWords('it', error)
  const places = causes.flatMap(({ field }) => (field === undefined ? [] : [{ field }]))
  const details = status.details && { ...status.details, causes: places }
  const quiet = { ...status, reason: oneWord(reason), message, ...(details && { details }) }
  return new ApiFailure(asked, code, quiet, retryAfterMs)
}

/** Reasons are one word by convention, but webhooks also write whole sentences there. */
const oneWord = (reason = ''): string => (/^[A-Za-z]{1,63}$/.test(reason) ? reason : '')
