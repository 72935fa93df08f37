import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { timestamp } from '@machinist/core/timestamp'
import type { HostUnits } from '../host/host.ts'
import type { KubeletProbe } from '../report/kubelet-health.ts'
import { kubeletProblem } from '../report/kubelet-health.ts'
import type { Turn } from './kubelet-restart-turn.ts'

export const kubeletUnit = 'kubelet.service'

export interface KubeletRestartOptions {
  readonly units: HostUnits
  readonly turn: Turn
  /** Unless given, the unit alone tells how the kubelet is. */
  readonly probe?: KubeletProbe
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The daemon shall end. What is left to do is done when it is back. */
  readonly signal: AbortSignal
}

/** Why the kubelet shall be restarted, and what comes of it. */
export interface RestartCause {
  /** What it would take over now, by name; undefined: there is no need any more. Asked when it is our turn. */
  due(): Promise<string | undefined>
  /** It runs, with this. */
  done(taken: string): Promise<void>
  /** Something else is to be told about it. */
  changed(): void
}

/** How long the operator may need to get through all nodes. It grants turns to at least 2 % of them at once. */
const grantMs = 60 * 60_000
/** A kubelet that is not well by then keeps the others from their turn no longer. */
const patienceMs = 5 * 60_000
const lookEveryMs = 5000
/** Well once may be just before it falls over. */
const wellInARow = 2

const pace: BackoffPolicy = { firstMs: 60_000, maxMs: 30 * 60_000, factor: 2, jitter: 0.5 }

/**
 * Restarts the kubelet when it is this node's turn, and keeps the turn until it is seen to be well. systemd does the restart
 * in one: there is no moment of ours in which it is stopped and nobody is there to start it.
 */
export class KubeletRestart {
  readonly #options: KubeletRestartOptions
  readonly #cause: RestartCause
  #isRunning = false
  /** When the turn was requested that is waited for, or used. */
  #requestedAt: string | undefined
  /** Ends the wait for the turn; absent: nobody waits. */
  #waiting: AbortController | undefined
  #problem: string | undefined
  /** It was restarted for this, and was not well in time. */
  #tried: string | undefined
  #isUnproven = false

  constructor(options: KubeletRestartOptions, cause: RestartCause) {
    this.#options = options
    this.#cause = cause
  }

  /** Since when this node wants a turn, or has it; undefined: not now. */
  get requestedAt(): string | undefined {
    return this.#requestedAt
  }

  /** It restarted the kubelet and has yet to see it healthy: that it was started proves nothing. */
  get isUnproven(): boolean {
    return this.#isUnproven
  }

  /** What went wrong the last time. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Sees to it, some time. One that is under way is enough. */
  request(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
    })
  }

  /** There is no need any more. A restart that is under way keeps its turn until its end. */
  drop(): void {
    if (!this.#waiting) return
    this.#waiting.abort()
    this.#requestedAt = undefined
  }

  async #run(): Promise<void> {
    const { clock, random, log, signal } = this.#options
    for (let failures = 0; !signal.aborted; failures++) {
      this.#requestedAt = timestamp(clock.now())
      if (failures > 0) this.#cause.changed()
      const problem = await this.#attempt(this.#requestedAt)
      if (signal.aborted) return
      this.#requestedAt = undefined
      this.#problem = problem
      this.#cause.changed()
      if (problem === undefined) return
      log.error('the kubelet could not be restarted', new Error(problem))
      await sleep(clock, backoffDelay(pace, failures, random), signal)
    }
  }

  async #attempt(requestedAt: string): Promise<string | undefined> {
    const { turn, clock, log, signal } = this.#options
    const waiting = new AbortController()
    this.#waiting = waiting
    const late = clock.after(grantMs, () => {
      this.#problem = `the operator has granted no turn since ${requestedAt}: check that machine-config-operator runs`
      log.error('no turn to restart the kubelet', new Error(this.#problem))
      this.#cause.changed()
    })
    const waited = (): void => {
      late()
      this.#waiting = undefined
    }
    try {
      return await turn(AbortSignal.any([signal, waiting.signal]), () => {
        waited()
        return this.#inTurn()
      })
    } catch (error) {
      return messageOf(error)
    } finally {
      waited()
    }
  }

  /** Gives what went wrong. */
  async #inTurn(): Promise<string | undefined> {
    const { units, log, signal } = this.#options
    const taken = await this.#cause.due()
    if (taken === undefined) return undefined
    // It may only have needed longer than we would wait.
    const isLate = this.#tried === taken && (await this.healthProblem()) === undefined
    if (!isLate) {
      log.info('restarting the kubelet: it has to take over new CAs of the API server')
      this.#tried = undefined
      this.#isUnproven = true
      await units.restart(kubeletUnit)
      this.#tried = taken
    }
    const problem = await this.#waitUntilWell()
    if (signal.aborted) return undefined
    if (problem !== undefined) return problem
    await this.#cause.done(taken)
    this.#isUnproven = false
    this.#tried = undefined
    return undefined
  }

  async #waitUntilWell(): Promise<string | undefined> {
    const { clock, signal } = this.#options
    const end = clock.elapsed() + patienceMs
    let inARow = 0
    while (!signal.aborted) {
      const problem = await this.healthProblem()
      inARow = problem === undefined ? inARow + 1 : 0
      if (inARow === wellInARow) return undefined
      if (clock.elapsed() >= end) {
        const minutes = patienceMs / 60_000
        return `${kubeletUnit} was restarted and is not well after ${minutes} minutes: ${problem ?? 'it comes and goes'}`
      }
      await sleep(clock, lookEveryMs, signal)
    }
    return undefined
  }

  /** Why the kubelet is not healthy now; undefined if it is. */
  async healthProblem(): Promise<string | undefined> {
    const { units, probe, clock, signal } = this.#options
    try {
      if (!(await units.healthy(kubeletUnit))) return 'the unit does not run'
    } catch (error) {
      return messageOf(error)
    }
    return probe && kubeletProblem({ probe, clock }, signal)
  }
}
