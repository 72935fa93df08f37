import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { timestamp } from '@machinist/core/timestamp'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { HostUnits } from '../../host/host.ts'
import type { KubeletProbe } from '../../report/kubelet-health.ts'
import { kubeletProblem } from '../../report/kubelet-health.ts'
import type { KubeletRestartTurn } from './kubelet-restart-turn.ts'

export const kubeletUnit = 'kubelet.service'

export interface KubeletRestartOptions extends Pick<ControllerContext, 'clock' | 'random' | 'log'> {
  readonly units: HostUnits
  readonly turn: KubeletRestartTurn
  /** Health check; without it, only the state of the unit counts. */
  readonly probe?: KubeletProbe
  /** Aborts when the daemon stops. A pending restart continues when it is back. */
  readonly signal: AbortSignal
}

/** The reason for a restart of the kubelet, and its callbacks. */
export interface RestartCause {
  /** An identifier of what the kubelet would load; undefined: no restart is needed any more. Called when the turn begins. */
  due(): Promise<string | undefined>
  /** The kubelet runs and has loaded this. */
  done(taken: string): Promise<void>
  /** The reported state changed. */
  changed(): void
}

/** How long the operator may take for all nodes. It grants turns to at least 2 % of them at once. */
const grantMs = 60 * 60_000
/** After this time, an unhealthy kubelet no longer holds the turn. */
const healthTimeoutMs = 5 * 60_000
const healthCheckMs = 5000
/** One success is not enough: the kubelet may crash right after it. */
const healthyInARow = 2

const pace: BackoffPolicy = { firstMs: 60_000, maxMs: 30 * 60_000, factor: 2, jitter: 0.5 }

/**
 * Restarts the kubelet in this node's turn, and keeps the turn until the kubelet is healthy. systemd performs the restart as one
 * operation, so that a daemon that is killed never leaves the kubelet stopped.
 */
export class KubeletRestart {
  readonly #options: KubeletRestartOptions
  readonly #cause: RestartCause
  #isRunning = false
  /** When the current turn was requested. */
  #requestedAt: string | undefined
  /** Ends the wait for the turn; undefined while not waiting. */
  #waiting: AbortController | undefined
  #problem: string | undefined
  /** The identifier of a restart after which the kubelet was not healthy in time. */
  #tried: string | undefined
  #isUnverified = false

  constructor(options: KubeletRestartOptions, cause: RestartCause) {
    this.#options = options
    this.#cause = cause
  }

  /** When this node requested its turn; undefined while it requests none. */
  get requestedAt(): string | undefined {
    return this.#requestedAt
  }

  /** The kubelet was restarted and is not known to be healthy yet. */
  get isUnverified(): boolean {
    return this.#isUnverified
  }

  /** The problem of the last attempt. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Requests a restart, unless one is in progress. */
  request(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
    })
  }

  /** Cancels the request. A restart in progress keeps its turn until it ends. */
  cancel(): void {
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
      log.error('cannot restart the kubelet', new Error(problem))
      await sleep(clock, backoffDelay(pace, failures, random), signal)
    }
  }

  async #attempt(requestedAt: string): Promise<string | undefined> {
    const { turn, clock, log, signal } = this.#options
    const waiting = new AbortController()
    this.#waiting = waiting
    const late = clock.after(grantMs, () => {
      this.#problem = `the operator has granted no turn since ${requestedAt}: check that machine-config-operator runs`
      log.error('no turn to restart the kubelet was granted', new Error(this.#problem))
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

  /** Returns the problem, if there is one. */
  async #inTurn(): Promise<string | undefined> {
    const { units, log, signal } = this.#options
    const taken = await this.#cause.due()
    if (taken === undefined) return undefined
    // The last restart may only have taken longer than the timeout.
    const isLate = this.#tried === taken && (await this.healthProblem()) === undefined
    if (!isLate) {
      log.info('restarting the kubelet to load new CAs of the API server')
      this.#tried = undefined
      this.#isUnverified = true
      await units.restart(kubeletUnit)
      this.#tried = taken
    }
    const problem = await this.#waitUntilHealthy()
    if (signal.aborted) return undefined
    if (problem !== undefined) return problem
    await this.#cause.done(taken)
    this.#isUnverified = false
    this.#tried = undefined
    return undefined
  }

  async #waitUntilHealthy(): Promise<string | undefined> {
    const { clock, signal } = this.#options
    const end = clock.elapsed() + healthTimeoutMs
    let inARow = 0
    while (!signal.aborted) {
      const problem = await this.healthProblem()
      inARow = problem === undefined ? inARow + 1 : 0
      if (inARow === healthyInARow) return undefined
      if (clock.elapsed() >= end) {
        const minutes = healthTimeoutMs / 60_000
        return `${kubeletUnit} was restarted and is not healthy after ${minutes} minutes: ${problem ?? 'its health keeps changing'}`
      }
      await sleep(clock, healthCheckMs, signal)
    }
    return undefined
  }

  /** Why the kubelet is unhealthy; undefined if it is healthy. */
  async healthProblem(): Promise<string | undefined> {
    const { units, probe, clock, signal } = this.#options
    try {
      if (!(await units.isHealthy(kubeletUnit))) return 'the unit is not running'
    } catch (error) {
      return messageOf(error)
    }
    return probe && kubeletProblem({ probe, clock }, signal)
  }
}
