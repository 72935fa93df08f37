import { messageOf, Stalled } from '@machinist/core/errors'
import type { LogFields, Logger } from '@machinist/core/log'

/** Collects the errors that controllers log. Stalled ones are not among them: they are in conditions, and no retry helps. */
export class FailureLog implements Logger {
  readonly #fields: LogFields
  /** The last error by message, controller and key. */
  readonly #failures: Map<string, string>

  constructor(fields: LogFields = {}, failures = new Map<string, string>()) {
    this.#fields = fields
    this.#failures = failures
  }

  debug(): void {}

  info(): void {}

  error(message: string, error: unknown): void {
    if (error instanceof Stalled) return
    const { controller = 'a component', key } = this.#fields
    const about = typeof key === 'string' ? ` of ${key}` : ''
    this.#failures.set(
      `${message} ${String(controller)}${about}`,
      `${String(controller)}: ${message}${about}: ${messageOf(error)}`,
    )
  }

  with(fields: LogFields): FailureLog {
    return new FailureLog({ ...this.#fields, ...fields }, this.#failures)
  }

  get failures(): readonly string[] {
    return [...this.#failures.values()].sort()
  }
}
