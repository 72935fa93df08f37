import type { Cancel, Clock } from '@machinist/core/clock'

/**
 * Something that runs, and may be killed between any two of its steps or stand still for a while. Everything that reaches
 * it comes through here: time, answers, what its disk did. Of a dead one nothing moves any more, as if the process had
 * never been waited for; its own code is not told, just as with kill -9.
 */
export class Process {
  readonly name: string
  readonly clock: Clock
  readonly #world: Clock
  readonly #pending = new Set<Cancel>()
  readonly #held: (() => void)[] = []
  readonly #deathbed = new Set<() => void>()
  readonly #stop = new AbortController()
  #alive = true
  #frozen = false
  #skewMs = 0

  constructor(name: string, world: Clock) {
    this.name = name
    this.#world = world
    this.clock = {
      now: () => world.now() + this.#skewMs,
      elapsed: () => world.elapsed(),
      after: (ms, task) => this.after(ms, task),
    }
  }

  get isAlive(): boolean {
    return this.#alive
  }

  /** What its code is given to stop by. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** SIGTERM: it may come to an end in its own time. */
  stop(): void {
    this.#stop.abort()
  }

  after(ms: number, task: () => void): Cancel {
    if (!this.#alive) return () => {}
    const cancel = this.#world.after(ms, () => {
      this.#pending.delete(cancel)
      this.reach(task)
    })
    this.#pending.add(cancel)
    return () => {
      this.#pending.delete(cancel)
      cancel()
    }
  }

  /** Something comes in: now, when it moves again, or never. */
  reach(task: () => void): void {
    if (!this.#alive) return
    if (this.#frozen) this.#held.push(task)
    else task()
  }

  /** What the rest of the world does when it dies; the answer calls it off. */
  whenKilled(task: () => void): Cancel {
    this.#deathbed.add(task)
    return () => void this.#deathbed.delete(task)
  }

  kill(): void {
    this.#alive = false
    for (const task of this.#deathbed) task()
    this.#deathbed.clear()
    for (const cancel of this.#pending) cancel()
    this.#pending.clear()
    this.#held.length = 0
    // Only so that what it waited for can be forgotten: nothing that it still does reaches anybody.
    this.#stop.abort()
  }

  /** Stands still, as a machine does that is swapping or being moved; time goes on without it. */
  freeze(ms: number): void {
    if (!this.#alive || this.#frozen) return
    this.#frozen = true
    this.#world.after(ms, () => {
      this.#frozen = false
      for (const task of this.#held.splice(0)) this.reach(task)
    })
  }

  /** Its wall clock is wrong by this much from now on. */
  skew(ms: number): void {
    this.#skewMs = ms
  }
}

export const never = (): Promise<never> => new Promise(() => {})
