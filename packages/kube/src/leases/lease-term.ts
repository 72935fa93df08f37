import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { isNotFound } from '../failure.ts'
import { withDeadline } from '../deadline.ts'
import type { Lease } from '../kinds/coordination.ts'
import { leases } from '../kinds/coordination.ts'
import { stopLimits } from '../stop-limits.ts'
import type { ElectionTiming } from './lease-record.ts'
import { holderOf, releasedLease, renewedLease } from './lease-record.ts'

interface Call {
  readonly signal: AbortSignal
}

/** The API calls of an election; KubeClient implements it. */
export interface LeaseApi {
  get(resource: Resource<Lease>, key: ObjectKey, call: Call): Promise<Lease>
  create(resource: Resource<Lease>, lease: Lease, call: Call): Promise<Lease>
  replace(resource: Resource<Lease>, lease: Lease, call: Call): Promise<Lease>
}

export interface TermOptions {
  readonly api: LeaseApi
  readonly identity: string
  readonly timing: ElectionTiming
  readonly clock: Clock
  readonly log: Logger
}

/** One term of a leader: renews the Lease until it is released, and ends when a renewal fails for too long. */
export class LeaseTerm {
  readonly #options: TermOptions
  readonly #work = new AbortController()
  readonly #renewals = new AbortController()
  readonly #renewing: Promise<void>
  #lease: Lease
  /** Elapsed time at which the last successful renewal was sent. Other candidates cannot have observed it earlier. */
  #confirmedAt: number
  #deadline: Cancel = () => {}
  #isLost = false

  constructor(lease: Lease, sentAt: number, options: TermOptions) {
    this.#options = options
    this.#lease = lease
    this.#confirmedAt = sentAt
    this.#confirm(sentAt)
    this.#renewing = this.#renewUntilOver()
  }

  /** Aborts when the lease is lost or given up: the work of the leader must stop. */
  get signal(): AbortSignal {
    return this.#work.signal
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Also true after `resign`, until `release`. */
  get isHeld(): boolean {
    const { clock, timing } = this.#options
    return !this.#isLost && clock.elapsed() - this.#confirmedAt < timing.renewMs
  }

  /** Aborts the signal. The lease is kept until `release`. */
  resign(): void {
    this.#work.abort(new Error('the lease was given up'))
  }

  /** Releases the Lease so that another candidate can acquire it immediately. Call it after the work has stopped. */
  async release(): Promise<void> {
    this.resign()
    this.#renewals.abort()
    await this.#renewing
    this.#deadline()
    if (this.#isLost) return
    this.#isLost = true
    const { clock, timing, log } = this.#options
    try {
      const { signal } = new AbortController()
      const limitMs = Math.min(timing.renewMs, stopLimits.leaseMs)
      await withDeadline(clock, limitMs, 'the release of the lease', signal, (deadline) =>
        this.#clearHolder(deadline),
      )
    } catch (error) {
      log.info('cannot release the lease, it will expire', { error: messageOf(error) })
    }
  }

  async #clearHolder(signal: AbortSignal): Promise<void> {
    const { api, identity, clock } = this.#options
    // An aborted renewal may have reached the server, so the local copy may be outdated.
    const lease = await api.get(leases, keyOf(this.#lease), { signal })
    if (holderOf(lease) !== identity) return
    await api.replace(leases, releasedLease(lease, clock.now()), { signal })
  }

  async #renewUntilOver(): Promise<void> {
    const { clock, timing } = this.#options
    const { signal } = this.#renewals
    for (;;) {
      await sleep(clock, timing.retryMs, signal)
      if (signal.aborted) return
      try {
        await withDeadline(
          clock,
          timing.renewMs / 2,
          'the renewal of the lease',
          signal,
          (deadline) => this.#renew(deadline),
        )
      } catch (error) {
        if (!signal.aborted) this.#handleRenewalError(error)
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { api, identity } = this.#options
    try {
      await this.#send(signal)
    } catch {
      // Another writer changed the Lease, or an earlier renewal succeeded without a response: read it again.
      const lease = await api.get(leases, keyOf(this.#lease), { signal })
      if (holderOf(lease) !== identity)
        return this.#lose(`the holder is ${holderOf(lease) ?? 'empty'}`)
      this.#lease = lease
      await this.#send(signal)
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { api, identity, timing, clock } = this.#options
    const sentAt = clock.elapsed()
    const renewed = renewedLease(this.#lease, identity, timing.leaseMs, clock.now())
    this.#lease = await api.replace(leases, renewed, { signal })
    if (!signal.aborted) this.#confirm(sentAt)
  }

  #confirm(sentAt: number): void {
    const { clock, timing } = this.#options
    this.#confirmedAt = sentAt
    this.#deadline()
    const left = sentAt + timing.renewMs - clock.elapsed()
    this.#deadline = clock.after(left, () => this.#lose('it was not renewed in time'))
  }

  #handleRenewalError(error: unknown): void {
    // A candidate that recreates the Lease leads immediately, so this process must stop.
    if (isNotFound(error)) this.#lose('it was deleted')
    else this.#options.log.info('cannot renew the lease', { error: messageOf(error) })
  }

  #lose(reason: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#deadline()
    this.#renewals.abort()
    this.#options.log.info('lost the lease', { reason })
    this.#work.abort(new Error(`the lease was lost: ${reason}`))
  }
}
