/**
 * Classes of failures. Any other thrown value is treated as transient.
 *
 * - Stalled: a user must act; a retry does not help. Reported in a condition.
 * - Waiting: not an error; another component must act first. Requeued after a fixed time.
 * - Transient: may resolve by itself. Retried with back-off.
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
  /** Upper limit for the retry delay, if other work is due before. */
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

/** Invalid input of a user. The message is shown without a stack trace. */
export class InvalidInput extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvalidInput'
  }
}

/** The message of a thrown value and its causes, on one line. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const own = thrown.message || thrown.name
  if (thrown.cause === undefined) return own
  const cause = messageOf(thrown.cause)
  return own.includes(cause) ? own : `${own}: ${cause}`
}

/** Whether the error indicates a bug in the program. Such errors are logged with their stack trace. */
export function isProgrammingError(thrown: unknown): thrown is Error {
  return (
    thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError
  )
}
