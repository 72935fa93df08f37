import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { isOfOs } from '../verify/difference.ts'
import type { DrainState } from './drain-request.ts'
import { isPending } from './drain-request.ts'
import type { Checked, Failure } from './facts.ts'

const retry: BackoffPolicy = { firstMs: 1000, maxMs: 60_000, factor: 2, jitter: 0.2 }
/** A disk that is not as it should be is looked at again this often, beside being watched. */
const lookAgainMs = 60_000

interface Failed {
  readonly attempt: string
  readonly reason: string
  readonly times: number
  readonly retryAt: number
}

/** What the daemon remembers from one decision to the next. All of it may be lost: nothing goes wrong then. */
export class Memory {
  readonly #clock: Clock
  readonly #random: Random
  #failed: Failed | undefined
  #checked: Checked | undefined
  /** What an update left as it should not be. */
  #left: string | undefined
  #lookAgainAt = Infinity
  #asked: { readonly value: string; readonly since: number } | undefined
  #errors = 0
  #forgotten = 0
  settled = false
  rebooting = false

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  get checked(): Checked | undefined {
    if (this.#clock.elapsed() >= this.#lookAgainAt) this.forgetChecked()
    return this.#checked
  }

  remember(found: Checked): void {
    const { config, differences } = found
    const what = JSON.stringify([config, differences])
    if (found.afterUpdate) this.#left = what
    // What one reboot did not bring another one hardly will.
    const isLeft = what === this.#left && differences.every(isOfOs)
    this.#checked = isLeft ? { ...found, afterUpdate: true } : found
    const isClean = differences.length === 0
    this.#lookAgainAt = isClean ? Infinity : this.#clock.elapsed() + this.patienceMs() / 2
  }

  forgetChecked(): void {
    this.#forgotten++
    this.#checked = undefined
    this.#lookAgainAt = Infinity
  }

  /** How often something was a reason to look again: if it grows during a look, that one may have missed it. */
  get forgotten(): number {
    return this.#forgotten
  }

  get failure(): Failure | undefined {
    if (!this.#failed) return undefined
    const { attempt, reason, retryAt } = this.#failed
    return { attempt, reason, retryInMs: Math.max(retryAt - this.#clock.elapsed(), 0) }
  }

  failed(attempt: string, reason: string): void {
    const times = this.#failed?.attempt === attempt ? this.#failed.times + 1 : 0
    const retryAt = this.#clock.elapsed() + backoffDelay(retry, times, this.#random)
    this.#failed = { attempt, reason, times, retryAt }
  }

  succeeded(): void {
    this.#failed = undefined
  }

  /** How long this drain or uncordon has been asked for. */
  waitedMs(drain: DrainState): number {
    if (!isPending(drain)) this.#asked = undefined
    else if (this.#asked?.value !== drain.desired) {
      this.#asked = { value: drain.desired, since: this.#clock.elapsed() }
    }
    return this.#asked ? this.#clock.elapsed() - this.#asked.since : 0
  }

  /** The pause after an error that nobody foresaw, such as an API server that cannot be reached. */
  errorPauseMs(): number {
    return backoffDelay(retry, this.#errors++, this.#random)
  }

  noError(): void {
    this.#errors = 0
  }

  /** The pause before a state that only a person or time can change is looked at again. */
  patienceMs(): number {
    return jitter(this.#random, lookAgainMs, 0.2)
  }
}
