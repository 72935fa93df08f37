/**
 * What a failed piece of work wants next. Anything else that is thrown counts as transient.
 *
 * - Stalled: a person must act; retrying alone cannot help. Shown in a condition, no retry storm.
 * - Waiting: not an error; look again after a while.
 * - Transient: may pass by itself; retried with back-off.
 */
export class Stalled extends Error {
  readonly reason: string
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Stalled'
    this.reason = reason
  }
}

export class Waiting extends Error {
  readonly reason: string
  readonly afterMs: number
  constructor(reason: string, message: string, afterMs: number) {
    super(message)
    this.name = 'Waiting'
    this.reason = reason
    this.afterMs = afterMs
  }
}

export class Transient extends Error {
  readonly reason: string
  /** When something else is due that must not wait until this is tried again. */
  readonly withinMs: number | undefined
  constructor(
    reason: string,
    message: string,
    options: ErrorOptions & { readonly withinMs?: number | undefined } = {},
  ) {
    super(message, options)
    this.name = 'Transient'
    this.reason = reason
    this.withinMs = options.withinMs
  }
}

/** Input that a person gave and that cannot be used: a clear message is all they need, no stack. */
export class InvalidInput extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvalidInput'
  }
}

/** The message of whatever was thrown, with the causes behind it, on one line. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const own = thrown.message || thrown.name
  if (thrown.cause === undefined) return own
  const cause = messageOf(thrown.cause)
  return own.includes(cause) ? own : `${own}: ${cause}`
}

/** Errors that only a mistake in our own code throws: there a stack trace helps, elsewhere the message says all. */
export function isOwnMistake(thrown: unknown): thrown is Error {
  return (
    thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError
  )
}
