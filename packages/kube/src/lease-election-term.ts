import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { ObjectKey, Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import { isNotFound } from './failure.ts'
import { withPatience } from './patience.ts'
import type { Lease } from './kinds/coordination.ts'
import { leases } from './kinds/coordination.ts'
import type { ElectionTiming } from './lease-election-record.ts'
import { holderOf, releasedLease, renewedLease } from './lease-election-record.ts'
import { stopLimits } from './stop-limits.ts'

interface Call {
  readonly signal: AbortSignal
}

/** What an election needs of the API; KubeClient is one. */
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

/** One time in office: renews the lease until released, and is over the moment it could not. */
export class LeaseTerm {
  readonly #options: TermOptions
  readonly #office = new AbortController()
  readonly #renewals = new AbortController()
  readonly #renewing: Promise<void>
  #lease: Lease
  /** When the last renewal that worked was *sent*: others saw it no earlier, so they cannot wait less than they should. */
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

  /** Aborts when the office is lost or given up: whoever acts in it must stop acting. */
  get signal(): AbortSignal {
    return this.#office.signal
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Also true while a term that is given up winds down. */
  get isHeld(): boolean {
    const { clock, timing } = this.#options
    return !this.#isLost && clock.elapsed() - this.#confirmedAt < timing.renewMs
  }

  /** Tells whoever acts to stop; the lease is kept until `release`. */
  resign(): void {
    this.#office.abort(new Error('the lease was given up'))
  }

  /** To be called when nobody acts any more: the next may start at once. */
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
      await withPatience(clock, limitMs, 'giving up a lease', signal, (patience) =>
        this.#free(patience),
      )
    } catch (error) {
      log.info('could not release the lease, it will run out', { error: messageOf(error) })
    }
  }

  async #free(signal: AbortSignal): Promise<void> {
    const { api, identity, clock } = this.#options
    // A renewal that was cut off may have arrived, so what we hold may not be the newest.
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
        await withPatience(clock, timing.renewMs / 2, 'a renewal', signal, (patience) =>
          this.#renew(patience),
        )
      } catch (error) {
        if (!signal.aborted) this.#explain(error)
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { api, identity } = this.#options
    try {
      await this.#send(signal)
    } catch {
      // Somebody touched the lease, or an earlier renewal arrived without our knowing: look what it is now.
      const lease = await api.get(leases, keyOf(this.#lease), { signal })
      if (holderOf(lease) !== identity)
        return this.#lose(`it went to ${holderOf(lease) ?? 'nobody'}`)
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
    this.#deadline = clock.after(left, () => this.#lose('it could not be renewed in time'))
  }

  #explain(error: unknown): void {
    // Whoever creates it anew leads at once, so we must not.
    if (isNotFound(error)) this.#lose('it was deleted')
    else this.#options.log.info('cannot renew the lease', { error: messageOf(error) })
  }

  #lose(why: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#deadline()
    this.#renewals.abort()
    this.#options.log.info('lost the lease', { why })
    this.#office.abort(new Error(`the lease was lost: ${why}`))
  }
}
