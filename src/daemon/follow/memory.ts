import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { isOsDifference } from '../verify/difference.ts'
import type { DrainState } from './facts/drain-request.ts'
import { isDrainPending } from './facts/drain-request.ts'
import type { CheckedDisk, FailedAttempt } from './facts/facts.ts'

const retry: BackoffPolicy = { firstMs: 1000, maxMs: 60_000, factor: 2, jitter: 0.2 }
/** Interval at which a disk that differs from its config is verified again, in addition to the watch. */
const recheckMs = 60_000

interface Failed {
  readonly attempt: string
  readonly reason: string
  readonly times: number
  readonly retryAt: number
}

/** State between two decisions. It is only in memory: losing it is harmless. */
export class FollowMemory {
  readonly #clock: Clock
  readonly #random: Random
  #failed: Failed | undefined
  #checked: CheckedDisk | undefined
  /** The differences that an update left, as a key. */
  #left: string | undefined
  #recheckAt = Infinity
  #pendingDrain: { readonly value: string; readonly since: number } | undefined
  #errors = 0
  #invalidations = 0
  #isOvertaken = false
  settled = false
  rebooting = false
  /** The last announced decision, as a key. */
  announced = ''
  /** The config that the drift monitor was reported to watch; empty while it is stopped. */
  monitored = ''

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  get checked(): CheckedDisk | undefined {
    if (this.#clock.elapsed() >= this.#recheckAt) this.invalidateChecked()
    return this.#checked
  }

  remember(found: CheckedDisk): void {
    const { config, differences } = found
    const what = JSON.stringify([config, differences])
    if (found.afterUpdate) this.#left = what
    // A second reboot is unlikely to change what the first one did not.
    const isLeft = what === this.#left && differences.every(isOsDifference)
    this.#checked = isLeft ? { ...found, afterUpdate: true } : found
    const isClean = differences.length === 0
    this.#recheckAt = isClean ? Infinity : this.#clock.elapsed() + this.recheckDelayMs() / 2
  }

  invalidateChecked(): void {
    this.#invalidations++
    this.#checked = undefined
    this.#recheckAt = Infinity
  }

  /** Counts invalidations: if it grows during a verification, that verification may have missed the change. */
  get invalidations(): number {
    return this.#invalidations
  }

  /** Remembers a verification. `before` are the invalidations before it: if a change overtook it, the next reconcile verifies again. */
  rememberSince(before: number, found: CheckedDisk): void {
    this.#isOvertaken = this.#invalidations !== before
    this.remember(found)
  }

  startReconcile(): void {
    if (this.#isOvertaken) this.invalidateChecked()
    this.#isOvertaken = false
  }

  /** The disk is about to be changed without a watch, so it is verified again, however the update ends. */
  startUpdate(): void {
    this.invalidateChecked()
    this.#isOvertaken = false
  }

  get failure(): FailedAttempt | undefined {
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

  /** How long this drain or uncordon has been pending. */
  waitedMs(drain: DrainState): number {
    if (!isDrainPending(drain)) this.#pendingDrain = undefined
    else if (this.#pendingDrain?.value !== drain.desired) {
      this.#pendingDrain = { value: drain.desired, since: this.#clock.elapsed() }
    }
    return this.#pendingDrain ? this.#clock.elapsed() - this.#pendingDrain.since : 0
  }

  /** The delay after an unexpected error, such as an API server that cannot be reached. */
  errorDelayMs(): number {
    return backoffDelay(retry, this.#errors++, this.#random)
  }

  resetErrors(): void {
    this.#errors = 0
  }

  /** The requeue delay for a state that only a user or time can change. */
  recheckDelayMs(): number {
    return jitter(this.#random, recheckMs, 0.2)
  }
}
