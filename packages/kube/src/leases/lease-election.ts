import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { keyText } from '@machinist/core/objects/resource'
import { ignoreNotFound, isAlreadyExists, isConflict } from '../failure.ts'
import { withDeadline } from '../deadline.ts'
import type { Lease } from '../kinds/coordination.ts'
import { leases } from '../kinds/coordination.ts'
import type { ElectionTiming } from './lease-record.ts'
import {
  LeaseObservation,
  validateTiming,
  newLease,
  retryJitter,
  acquiredLease,
  defaultTiming,
} from './lease-record.ts'
import type { LeaseApi } from './lease-term.ts'
import { LeaseTerm } from './lease-term.ts'

export interface ElectionOptions {
  readonly api: LeaseApi
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Unique for each running process. A restarted process with the same identity counts as the same candidate. */
  readonly identity: string
  readonly timing?: ElectionTiming
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Leader election with a Lease: the holder works, the other candidates wait.
 *
 * At most one candidate leads, provided that the rates of the clocks differ by less than the ratio of leaseMs to renewMs
 * (1.5), that the server rejects writes with an outdated version, and that no user deletes the Lease. The absolute times of
 * the clocks do not matter. The work of a leader must stop within leaseMs - renewMs after its signal aborts.
 */
export class LeaseElection {
  readonly #options: ElectionOptions
  readonly #timing: ElectionTiming
  readonly #log: Logger
  readonly #status: Gauge<'name'>
  readonly #observed = new LeaseObservation()
  #loggedHolder: string | undefined
  #term: LeaseTerm | undefined
  #isBusy = false

  constructor(options: ElectionOptions) {
    this.#timing = options.timing ?? defaultTiming
    validateTiming(this.#timing)
    if (options.identity === '') throw new RangeError('identity must not be empty')
    this.#options = options
    this.#log = options.log.with({ lease: keyText(options.lease), identity: options.identity })
    this.#status = options.metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process is the leader (1) or not (0), by lease.',
      labels: ['name'],
    })
    this.#setStatus(false)
  }

  get isLeader(): boolean {
    return this.#term?.isHeld ?? false
  }

  /** The last observed holder of the lease. */
  get holder(): string | undefined {
    return this.isLeader ? this.#options.identity : this.#observed.holder
  }

  /** Runs `work` each time this candidate is elected, until the signal aborts or the work completes. */
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
   * Acquires the lease, runs `work` and releases the lease: mutual exclusion between machines. Returns undefined if the
   * signal aborts before the lease is acquired. If it aborts later, or the lease is lost, the signal of the work aborts,
   * and `hold` waits for the work to stop.
   */
  async hold<V>(
    signal: AbortSignal,
    work: (term: AbortSignal) => Promise<V>,
  ): Promise<V | undefined> {
    if (this.#isBusy) {
      throw new TypeError(
        `this candidate for lease ${keyText(this.#options.lease)} is already in use`,
      )
    }
    this.#isBusy = true
    try {
      const term = await this.#acquire(signal)
      return term && (await this.#work(term, signal, work))
    } finally {
      this.#isBusy = false
    }
  }

  async #work<V>(
    term: LeaseTerm,
    signal: AbortSignal,
    work: (term: AbortSignal) => Promise<V>,
  ): Promise<V> {
    this.#term = term
    this.#setStatus(true)
    const resign = (): void => term.resign()
    term.signal.addEventListener('abort', () => this.#setStatus(!term.isLost), { once: true })
    signal.addEventListener('abort', resign, { once: true })
    if (signal.aborted) resign()
    try {
      return await work(term.signal)
    } finally {
      signal.removeEventListener('abort', resign)
      await term.release()
      this.#term = undefined
      this.#setStatus(false)
    }
  }

  async #acquire(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { clock, random } = this.#options
    this.#log.info('waiting for the lease')
    while (!signal.aborted) {
      const term = await this.#attempt(signal)
      if (term) return term
      await sleep(clock, jitter(random, this.#timing.retryMs, retryJitter), signal)
    }
    return undefined
  }

  async #attempt(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { clock } = this.#options
    try {
      return await withDeadline(
        clock,
        this.#timing.renewMs,
        'the attempt to acquire the lease',
        signal,
        (deadline) => this.#tryAcquire(deadline),
      )
    } catch (error) {
      // Another candidate was faster: expected in an election.
      const isRace = isConflict(error) || isAlreadyExists(error)
      if (!isRace && !signal.aborted)
        this.#log.info('cannot acquire the lease', { error: messageOf(error) })
      return undefined
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { api, clock, identity, lease: key } = this.#options
    const { leaseMs } = this.#timing
    const lease = await this.#readLease(signal)
    if (lease && !this.#observed.canAcquire(identity, leaseMs, clock.elapsed())) return undefined
    const sentAt = clock.elapsed()
    const acquired = lease
      ? await api.replace(leases, acquiredLease(lease, identity, leaseMs, clock.now()), { signal })
      : await api.create(leases, newLease(key, identity, leaseMs, clock.now()), { signal })
    // The response may be too late to lead, or the caller may have stopped.
    if (signal.aborted || clock.elapsed() - sentAt >= this.#timing.renewMs) return undefined
    this.#observed.observe(acquired, clock.elapsed())
    this.#loggedHolder = identity
    this.#log.info('acquired the lease', { transitions: acquired.spec?.leaseTransitions })
    return new LeaseTerm(acquired, sentAt, {
      api,
      identity,
      clock,
      timing: this.#timing,
      log: this.#log,
    })
  }

  async #readLease(signal: AbortSignal): Promise<Lease | undefined> {
    const { api, clock, lease: key } = this.#options
    const lease = await ignoreNotFound(api.get(leases, key, { signal }))
    if (!lease) return undefined
    this.#observed.observe(lease, clock.elapsed())
    this.#logHolder()
    return lease
  }

  #logHolder(): void {
    const { holder } = this.#observed
    if (holder === this.#loggedHolder) return
    this.#loggedHolder = holder
    this.#log.info('the holder of the lease changed', { holder: holder ?? '' })
  }

  #setStatus(isLeader: boolean): void {
    this.#status.set({ name: this.#options.lease.name }, isLeader ? 1 : 0)
  }
}
