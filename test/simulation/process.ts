import type { Cancel, Clock } from '@machinist/core/clock'

/**
 * A simulated process. It can be killed between any two of its steps, or frozen. All inputs pass through this class: time, responses,
 * results of disk operations. After a kill no input arrives any more, and its code gets no notification, as with kill -9.
 */
export class Process {
  readonly name: string
  readonly clock: Clock
  readonly #simulationClock: Clock
  readonly #pending = new Set<Cancel>()
  readonly #held: (() => void)[] = []
  readonly #onKill = new Set<() => void>()
  readonly #stop = new AbortController()
  #alive = true
  #frozen = false
  #skewMs = 0

  constructor(name: string, simulationClock: Clock) {
    this.name = name
    this.#simulationClock = simulationClock
    this.clock = {
      now: () => simulationClock.now() + this.#skewMs,
      elapsed: () => simulationClock.elapsed(),
      after: (ms, task) => this.after(ms, task),
    }
  }

  get isAlive(): boolean {
    return this.#alive
  }

  /** The stop signal for its code. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** SIGTERM: the process stops gracefully. */
  stop(): void {
    this.#stop.abort()
  }

  after(ms: number, task: () => void): Cancel {
    if (!this.#alive) return () => {}
    const cancel = this.#simulationClock.after(ms, () => {
      this.#pending.delete(cancel)
      this.reach(task)
    })
    this.#pending.add(cancel)
    return () => {
      this.#pending.delete(cancel)
      cancel()
    }
  }

  /** Delivers an input: now, after a freeze, or never if it was killed. */
  reach(task: () => void): void {
    if (!this.#alive) return
    if (this.#frozen) this.#held.push(task)
    else task()
  }

  /** Runs `task` when the process is killed. Returns a function that cancels it. */
  whenKilled(task: () => void): Cancel {
    this.#onKill.add(task)
    return () => void this.#onKill.delete(task)
  }

  kill(): void {
    this.#alive = false
    for (const task of this.#onKill) task()
    this.#onKill.clear()
    for (const cancel of this.#pending) cancel()
    this.#pending.clear()
    this.#held.length = 0
    // Releases what it waits for; nothing that its code still does has an effect.
    this.#stop.abort()
  }

  /** Pauses the process, as swapping or a live migration does; time continues. */
  freeze(ms: number): void {
    if (!this.#alive || this.#frozen) return
    this.#frozen = true
    this.#simulationClock.after(ms, () => {
      this.#frozen = false
      for (const task of this.#held.splice(0)) this.reach(task)
    })
  }

  /** Sets the error of its wall clock. */
  skew(ms: number): void {
    this.#skewMs = ms
  }
}

export const never = (): Promise<never> => new Promise(() => {})
