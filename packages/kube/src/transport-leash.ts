import type { Cancel, Clock } from '@machinist/core/clock'

/** One signal for every way to give up: the caller aborts, time is up, or we want to. Its reason is what to throw. */
export class Leash {
  readonly #clock: Clock
  readonly #parent: AbortSignal | undefined
  readonly #controller = new AbortController()
  #disarm: Cancel = () => {}

  constructor(clock: Clock, parent?: AbortSignal) {
    this.#clock = clock
    this.#parent = parent
    if (parent?.aborted) this.#controller.abort(parent.reason)
    else parent?.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True when it was the caller who gave up. */
  get abandoned(): boolean {
    return this.#parent?.aborted ?? false
  }

  /** Starts the time again. */
  arm(ms: number | undefined, late: () => Error): void {
    this.#disarm()
    if (ms !== undefined) this.#disarm = this.#clock.after(ms, () => this.pull(late()))
  }

  disarm(): void {
    this.#disarm()
  }

  pull(reason: Error): void {
    this.release()
    this.#controller.abort(reason)
  }

  /** Lets go of the timer and of the caller's signal, which may live much longer than this. */
  release(): void {
    this.#disarm()
    this.#parent?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => {
    this.release()
    this.#controller.abort(this.#parent?.reason)
  }
}
