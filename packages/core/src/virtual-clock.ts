import type { Cancel, Clock } from './clock.ts'

interface Task {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

/** A clock that moves only when `advance`, `leap` or `jump` is called, for tests and simulations. */
export class VirtualClock implements Clock {
  #elapsed = 0
  #offset: number
  #order = 0
  readonly #tasks = new Set<Task>()

  constructor(startsAt = Date.parse('2026-01-01T00:00:00Z')) {
    this.#offset = startsAt
  }

  now(): number {
    return this.#offset + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(ms: number, run: () => void): Cancel {
    const task = { due: this.#elapsed + Math.max(ms, 0), order: this.#order++, run }
    this.#tasks.add(task)
    return () => void this.#tasks.delete(task)
  }

  /** Number of pending tasks. Tests use it to detect that the code under test sleeps. */
  get pending(): number {
    return this.#tasks.size
  }

  /** Advances time. Runs due tasks in order and lets promises settle after each task. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms
    await settle()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#tasks.delete(next)
      this.#elapsed = Math.max(this.#elapsed, next.due)
      next.run()
      await settle()
    }
    this.#elapsed = end
  }

  /** Advances time as if the process had been suspended: every task that became due runs once, late. */
  async leap(ms: number): Promise<void> {
    this.#elapsed += ms
    await this.advance(0)
  }

  /** Moves the wall clock only, like NTP; timers are not affected. */
  jump(ms: number): void {
    this.#offset += ms
  }

  #next(end: number): Task | undefined {
    let first: Task | undefined
    for (const task of this.#tasks) {
      if (task.due > end) continue
      if (!first || task.due < first.due || (task.due === first.due && task.order < first.order)) {
        first = task
      }
    }
    return first
  }
}

/** One turn of the event loop, in which all promises settle that do not wait for I/O. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
