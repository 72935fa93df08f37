import type { Cancel, Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'

const retryMs = 1000

/** Runs work for one key at a time; pending keys are deduplicated. */
export class KeyedWork {
  readonly #run: (key: string) => Promise<void>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #waiting = new Set<string>()
  readonly #later = new Map<string, { readonly due: number; readonly cancel: Cancel }>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(run: (key: string) => Promise<void>, clock: Clock, log: Logger) {
    this.#run = run
    this.#clock = clock
    this.#log = log
  }

  add(key: string): void {
    if (this.#stopped) return
    this.#waiting.add(key)
    this.#running ??= this.#drain()
  }

  /** Adds a key after a delay; the earliest of several delays counts. */
  addAfter(key: string, ms: number): void {
    const due = this.#clock.elapsed() + ms
    const present = this.#later.get(key)
    if (this.#stopped || (present && present.due <= due)) return
    present?.cancel()
    const cancel = this.#clock.after(ms, () => {
      this.#later.delete(key)
      this.add(key)
    })
    this.#later.set(key, { due, cancel })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.clear()
    for (const { cancel } of this.#later.values()) cancel()
    this.#later.clear()
    await this.#running
  }

  async #drain(): Promise<void> {
    // The caller is in the middle of a write: let it finish first.
    await Promise.resolve()
    for (const key of this.#waiting) {
      this.#waiting.delete(key)
      try {
        await this.#run(key)
      } catch (error) {
        this.#log.error('background work failed', error, { key })
        this.addAfter(key, retryMs)
      }
    }
    this.#running = undefined
  }
}
