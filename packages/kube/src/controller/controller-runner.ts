import type { Clock } from '@machinist/core/clock'
import { isProgrammingError, Stalled, Transient, Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { nameSuffix } from '@machinist/core/random'
import { withDeadline } from '../deadline.ts'
import { stopLimits } from '../stop-limits.ts'
import type { Work } from '../queue/work-queue.ts'
import { WorkQueue } from '../queue/work-queue.ts'
import type { Activity } from './activity.ts'
import type { ControllerMetrics, ReconcileResult } from './controller-metrics.ts'
import { controllerMetrics } from './controller-metrics.ts'
import type { Controller, ReconcileContext } from './controller.ts'
import type { Outcome } from './outcome.ts'

export interface RunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Grace period for running reconciles after a stop, before their signal aborts. */
  readonly stopGraceMs?: number
  /** Observes whether the controller has work. */
  readonly activity?: Activity
}

/** Runs one controller: enqueues keys from its inputs, reconciles each key at most once at a time, and retries by error class. */
export class ControllerRunner {
  readonly #controller: Controller
  readonly #options: RunnerOptions
  readonly #log: Logger
  readonly #metrics: ControllerMetrics
  readonly #queue: WorkQueue
  readonly #hardStop = new AbortController()
  #isStarted = false

  constructor(controller: Controller, options: RunnerOptions) {
    this.#controller = controller
    this.#options = options
    this.#log = options.log.with({ controller: controller.name })
    this.#metrics = controllerMetrics(options.metrics, controller.name)
    this.#queue = new WorkQueue({ ...options, name: controller.name })
  }

  /** Requests a reconcile that no input triggers. */
  enqueue(key: string, priority = 0): void {
    this.#queue.add(key, priority)
  }

  /** Resolves after the signal has aborted and running reconciles have finished. Call it once. */
  async run(signal: AbortSignal): Promise<void> {
    const { inputs, workers = 1 } = this.#controller
    const enqueue = (key: string, priority: number): void => this.#queue.add(key, priority)
    const leave = this.#options.activity?.join((ms) => this.#isStarted && this.#queue.isIdle(ms))
    const unsubscribeAll = inputs.map((input) => input.subscribe(enqueue))
    try {
      if (await this.#inputsSynced(signal)) {
        this.#metrics.workers(workers)
        this.#log.info('controller started', { workers })
        this.#isStarted = true
        this.#options.activity?.check()
        await this.#work(workers, signal)
      }
    } finally {
      for (const unsubscribe of unsubscribeAll) unsubscribe()
      leave?.()
    }
    this.#log.info('controller stopped')
  }

  /** Waits for all caches, so that no decision is based on incomplete facts. */
  async #inputsSynced(signal: AbortSignal): Promise<boolean> {
    const all = Promise.all(this.#controller.inputs.map((input) => input.synced()))
    const stopped = Promise.withResolvers<boolean[]>()
    const stop = (): void => stopped.resolve([false])
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const synced = await Promise.race([all, stopped.promise])
    signal.removeEventListener('abort', stop)
    return synced.every(Boolean)
  }

  async #work(count: number, signal: AbortSignal): Promise<void> {
    const workers = Array.from({ length: count }, () => this.#worker(signal))
    await whenAborted(signal)
    const { clock, stopGraceMs = stopLimits.workMs } = this.#options
    const cancel = clock.after(stopGraceMs, () => this.#hardStop.abort())
    await Promise.all([...workers, this.#queue.shutDown()])
    cancel()
  }

  async #worker(signal: AbortSignal): Promise<void> {
    for (;;) {
      const work = await this.#queue.get(signal)
      if (!work) return
      try {
        await this.#reconcile(work)
      } finally {
        this.#queue.done(work.key)
        this.#options.activity?.check()
      }
    }
  }

  async #reconcile(work: Work): Promise<void> {
    const { clock, random } = this.#options
    const context: ReconcileContext = {
      log: this.#log.with({ key: work.key, reconcileID: nameSuffix(random, 8) }),
      signal: this.#hardStop.signal,
      retries: this.#queue.retries(work.key),
    }
    this.#metrics.started()
    const startedAt = clock.elapsed()
    const result = await this.#attempt(work, context)
    this.#metrics.ended(result, (clock.elapsed() - startedAt) / 1000)
  }

  async #attempt(work: Work, context: ReconcileContext): Promise<ReconcileResult> {
    try {
      return this.#applyOutcome(work, await this.#call(work.key, context))
    } catch (error) {
      if (error instanceof Waiting) return this.#wait(work, error, context)
      if (error instanceof Stalled) return await this.#stall(work, error, context)
      return this.#retry(work, error, context)
    }
  }

  #call(key: string, context: ReconcileContext): Promise<Outcome> {
    const controller = this.#controller
    const { timeoutMs } = controller
    if (timeoutMs === undefined) return controller.reconcile(key, context)
    const operation = `the reconcile of ${key} by ${controller.name}`
    return withDeadline(this.#options.clock, timeoutMs, operation, context.signal, (signal) =>
      controller.reconcile(key, { ...context, signal }),
    )
  }

  #applyOutcome({ key, priority }: Work, outcome: Outcome): ReconcileResult {
    this.#queue.forget(key)
    switch (outcome.type) {
      case 'settled':
        return 'success'
      case 'requeue':
        this.#queue.addAfter(key, outcome.afterMs, priority)
        return 'requeue_after'
    }
  }

  #wait({ key, priority }: Work, waiting: Waiting, { log }: ReconcileContext): ReconcileResult {
    log.debug('waiting', { reason: waiting.reason, why: waiting.message, ms: waiting.afterMs })
    this.#queue.forget(key)
    this.#queue.addAfter(key, waiting.afterMs, priority)
    return 'requeue_after'
  }

  /** A retry cannot succeed: the key is not requeued until an input changes. */
  async #stall(
    { key }: Work,
    stalled: Stalled,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    context.log.error('stalled until a user acts', stalled, { reason: stalled.reason })
    this.#metrics.failed('terminal')
    this.#queue.forget(key)
    try {
      await this.#controller.onStalled?.(key, stalled, context)
    } catch (error) {
      context.log.error('cannot report the stalled state', error)
    }
    return 'error'
  }

  #retry(
    { key, priority }: Work,
    error: unknown,
    { log, retries }: ReconcileContext,
  ): ReconcileResult {
    log.error('reconcile failed', error, { retries })
    this.#metrics.failed(isProgrammingError(error) ? 'panic' : 'transient')
    this.#queue.addRateLimited(key, priority)
    if (error instanceof Transient && error.withinMs !== undefined) {
      this.#queue.addAfter(key, error.withinMs, priority)
    }
    return 'error'
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
