import type { Cancel, Clock } from '../../src/base/clock.ts'

interface Task {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

/** The time of a simulated world: it passes task by task, or leaps over months. */
export class WorldClock implements Clock {
  readonly #startsAt = Date.parse('2026-01-01T00:00:00Z')
  #elapsed = 0
  #order = 0
  readonly #tasks = new Set<Task>()

  now(): number {
    return this.#startsAt + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(ms: number, run: () => void): Cancel {
    const task = { due: this.#elapsed + Math.max(ms, 0), order: this.#order++, run }
    this.#tasks.add(task)
    return () => void this.#tasks.delete(task)
  }

  /** Time passes: what falls due is done in order, and promises settle after each task. */
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
