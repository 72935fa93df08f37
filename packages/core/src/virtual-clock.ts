import type { Cancel, Clock } from './clock.ts'

interface Task {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

/** A clock that stands still until told to move: the clock of tests and of simulated worlds. */
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

  /** How many tasks wait; a test can tell by it that the code under test has gone to sleep. */
  get pending(): number {
    return this.#tasks.size
  }

  /** Moves time on, running what falls due in order and letting promises settle after each task. */
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

  /** As if everything had stood still for so long: whatever fell due is done once, late, and now. */
  async leap(ms: number): Promise<void> {
    this.#elapsed += ms
    await this.advance(0)
  }

  /** The wall clock jumps (NTP, a resumed machine); timers do not notice. */
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

/** One turn of the event loop: every promise that can settle without I/O has settled. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
