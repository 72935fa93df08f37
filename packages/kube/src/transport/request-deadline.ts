import type { Cancel, Clock } from '@machinist/core/clock'

/** Combines the caller's signal and a timer into one signal. The reason of the signal is the error to throw. */
export class RequestDeadline {
  readonly #clock: Clock
  readonly #parent: AbortSignal | undefined
  readonly #controller = new AbortController()
  #cancelTimer: Cancel = () => {}

  constructor(clock: Clock, parent?: AbortSignal) {
    this.#clock = clock
    this.#parent = parent
    if (parent?.aborted) this.#controller.abort(parent.reason)
    else parent?.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isAbortedByCaller(): boolean {
    return this.#parent?.aborted ?? false
  }

  /** Starts or restarts the timer. */
  start(ms: number | undefined, exceeded: () => Error): void {
    this.#cancelTimer()
    if (ms !== undefined) this.#cancelTimer = this.#clock.after(ms, () => this.abort(exceeded()))
  }

  /** Stops the timer. */
  stop(): void {
    this.#cancelTimer()
  }

  abort(reason: Error): void {
    this.release()
    this.#controller.abort(reason)
  }

  /** Releases the timer and the listener on the caller's signal, which may outlive this object. */
  release(): void {
    this.#cancelTimer()
    this.#parent?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => {
    this.release()
    this.#controller.abort(this.#parent?.reason)
  }
}
