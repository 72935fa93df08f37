import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { keyText } from '@machinist/core/resource'
import { ifThere, isAlreadyExists, isConflict } from './failure.ts'
import { withPatience } from './patience.ts'
import type { Lease } from './kinds/coordination.ts'
import { leases } from './kinds/coordination.ts'
import type { ElectionTiming } from './lease-election-record.ts'
import {
  LeaseObservation,
  checkTiming,
  firstLease,
  retryJitter,
  takenLease,
  usualTiming,
} from './lease-election-record.ts'
import type { LeaseApi } from './lease-election-term.ts'
import { LeaseTerm } from './lease-election-term.ts'

export interface ElectionOptions {
  readonly api: LeaseApi
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Unique to this running process; a process that starts again under the same name is taken for the same. */
  readonly identity: string
  readonly timing?: ElectionTiming
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * One among many: whoever holds the Lease acts, the others wait.
 *
 * Never two at once, as long as the machines' clocks run at rates that differ by less than leaseMs to renewMs (half as
 * fast again), the server refuses writes that are based on an old version, and nobody deletes the Lease by hand. What
 * the clocks show does not matter. Whoever acts must stop within leaseMs - renewMs of its signal.
 */
export class LeaseElection {
  readonly #options: ElectionOptions
  readonly #timing: ElectionTiming
  readonly #log: Logger
  readonly #status: Gauge<'name'>
  readonly #seen = new LeaseObservation()
  #reported: string | undefined
  #term: LeaseTerm | undefined
  #isBusy = false

  constructor(options: ElectionOptions) {
    this.#timing = options.timing ?? usualTiming
    checkTiming(this.#timing)
    if (options.identity === '') throw new RangeError('a candidate needs an identity')
    this.#options = options
    this.#log = options.log.with({ lease: keyText(options.lease), identity: options.identity })
    this.#status = options.metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the lease.',
      labels: ['name'],
    })
    this.#report(false)
  }

  get isLeader(): boolean {
    return this.#term?.isHeld ?? false
  }

  /** Who was last seen to hold the lease. */
  get holder(): string | undefined {
    return this.isLeader ? this.#options.identity : this.#seen.holder
  }

  /** Acts whenever it is elected, until the signal aborts or the work ends by itself. */
  async lead(signal: AbortSignal, work: (term: AbortSignal) => Promise<void>): Promise<void> {
    for (;;) {
      const isDone = await this.hold(signal, async (term) => {
        await work(term)
        return !term.aborted
      })
      if (isDone || signal.aborted) return
    }
  }

  /**
   * Waits for the lease, works, and releases it: mutual exclusion among machines. Nothing if the signal aborts first.
   * When it aborts later, or the lease is lost, the work's own signal aborts, and the work is waited for.
   */
  async hold<V>(
    signal: AbortSignal,
    work: (term: AbortSignal) => Promise<V>,
  ): Promise<V | undefined> {
    if (this.#isBusy) {
      throw new TypeError(`this candidate for ${keyText(this.#options.lease)} is busy`)
    }
    this.#isBusy = true
    try {
      const term = await this.#acquire(signal)
      return term && (await this.#serve(term, signal, work))
    } finally {
      this.#isBusy = false
    }
  }

  async #serve<V>(
    term: LeaseTerm,
    signal: AbortSignal,
    work: (term: AbortSignal) => Promise<V>,
  ): Promise<V> {
    this.#term = term
    this.#report(true)
    const resign = (): void => term.resign()
    term.signal.addEventListener('abort', () => this.#report(!term.isLost), { once: true })
    signal.addEventListener('abort', resign, { once: true })
    if (signal.aborted) resign()
    try {
      return await work(term.signal)
    } finally {
      signal.removeEventListener('abort', resign)
      await term.release()
      this.#term = undefined
      this.#report(false)
    }
  }

  async #acquire(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { clock, random } = this.#options
    this.#log.info('waiting for the lease')
    while (!signal.aborted) {
      const term = await this.#try(signal)
      if (term) return term
      await sleep(clock, jitter(random, this.#timing.retryMs, retryJitter), signal)
    }
    return undefined
  }

  async #try(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { clock } = this.#options
    try {
      return await withPatience(
        clock,
        this.#timing.renewMs,
        'a try for a lease',
        signal,
        (patience) => this.#claim(patience),
      )
    } catch (error) {
      const isRace = isConflict(error) || isAlreadyExists(error)
      // Losing a race is how elections go.
      if (!isRace && !signal.aborted)
        this.#log.info('cannot get the lease', { error: messageOf(error) })
      return undefined
    }
  }

  async #claim(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { api, clock, identity, lease: key } = this.#options
    const { leaseMs } = this.#timing
    const lease = await this.#look(signal)
    if (lease && !this.#seen.mayTake(identity, leaseMs, clock.elapsed())) return undefined
    const sentAt = clock.elapsed()
    const taken = lease
      ? await api.replace(leases, takenLease(lease, identity, leaseMs, clock.now()), { signal })
      : await api.create(leases, firstLease(key, identity, leaseMs, clock.now()), { signal })
    // The answer may have come too late to count, or to somebody who no longer wants it.
    if (signal.aborted || clock.elapsed() - sentAt >= this.#timing.renewMs) return undefined
    this.#seen.see(taken, clock.elapsed())
    this.#reported = identity
    this.#log.info('got the lease', { transitions: taken.spec?.leaseTransitions })
    return new LeaseTerm(taken, sentAt, {
      api,
      identity,
      clock,
      timing: this.#timing,
      log: this.#log,
    })
  }

  async #look(signal: AbortSignal): Promise<Lease | undefined> {
    const { api, clock, lease: key } = this.#options
    const lease = await ifThere(api.get(leases, key, { signal }))
    if (!lease) return undefined
    this.#seen.see(lease, clock.elapsed())
    this.#reportHolder()
    return lease
  }

  #reportHolder(): void {
    const { holder } = this.#seen
    if (holder === this.#reported) return
    this.#reported = holder
    this.#log.info('the lease has another holder', { holder: holder ?? 'nobody' })
  }

  #report(leads: boolean): void {
    this.#status.set({ name: this.#options.lease.name }, leads ? 1 : 0)
  }
}
