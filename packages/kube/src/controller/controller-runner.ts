import type { Clock } from '@machinist/core/clock'
import { isOwnMistake, Stalled, Transient, Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { nameSuffix } from '@machinist/core/random'
import { withPatience } from '../patience.ts'
import { stopLimits } from '../stop-limits.ts'
import type { Work } from '../queue/work-queue.ts'
import { WorkQueue } from '../queue/work-queue.ts'
import type { ControllerMetrics, ReconcileResult } from './controller-metrics.ts'
import { controllerMetrics } from './controller-metrics.ts'
import type { Controller, ReconcileContext } from './controller.ts'
import type { Outcome } from './outcome.ts'

export interface RunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** How long reconciles may go on after the stop before their signal aborts. */
  readonly stopGraceMs?: number
}

/** Runs one controller: keys in from its inputs, one reconcile at a time per key, retries as its errors ask for. */
export class ControllerRunner {
  readonly #controller: Controller
  readonly #options: RunnerOptions
  readonly #log: Logger
  readonly #metrics: ControllerMetrics
  readonly #queue: WorkQueue
  readonly #hardStop = new AbortController()

  constructor(controller: Controller, options: RunnerOptions) {
    this.#controller = controller
    this.#options = options
    this.#log = options.log.with({ controller: controller.name })
    this.#metrics = controllerMetrics(options.metrics, controller.name)
    this.#queue = new WorkQueue({ ...options, name: controller.name })
  }

  /** Asks for a reconcile for a reason that no input tells. */
  enqueue(key: string, priority = 0): void {
    this.#queue.add(key, priority)
  }

  /** Resolves after the signal has aborted and what was running has finished. Runs once. */
  async run(signal: AbortSignal): Promise<void> {
    const { inputs, workers = 1 } = this.#controller
    const enqueue = (key: string, priority: number): void => this.#queue.add(key, priority)
    const leave = inputs.map((input) => input.subscribe(enqueue))
    try {
      if (await this.#inputsSynced(signal)) {
        this.#metrics.workers(workers)
        this.#log.info('controller started', { workers })
        await this.#work(workers, signal)
      }
    } finally {
      for (const unsubscribe of leave) unsubscribe()
    }
    this.#log.info('controller stopped')
  }

  /** Deciding on half of the facts would be worse than waiting. */
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
    await aborted(signal)
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
    this.#metrics.began()
    const began = clock.elapsed()
    const result = await this.#attempt(work, context)
    this.#metrics.ended(result, (clock.elapsed() - began) / 1000)
  }

  async #attempt(work: Work, context: ReconcileContext): Promise<ReconcileResult> {
    try {
      return this.#follow(work, await this.#call(work.key, context))
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
    const what = `the reconcile of ${key} by ${controller.name}`
    return withPatience(this.#options.clock, timeoutMs, what, context.signal, (signal) =>
      controller.reconcile(key, { ...context, signal }),
    )
  }

  #follow({ key, priority }: Work, outcome: Outcome): ReconcileResult {
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

  /** Retrying cannot help, so it rests until something changes. */
  async #stall(
    { key }: Work,
    stalled: Stalled,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    context.log.error('stalled: a person must act', stalled, { reason: stalled.reason })
    this.#metrics.failed('terminal')
    this.#queue.forget(key)
    try {
      await this.#controller.onStalled?.(key, stalled, context)
    } catch (error) {
      context.log.error('could not show that it is stalled', error)
    }
    return 'error'
  }

  #retry(
    { key, priority }: Work,
    error: unknown,
    { log, retries }: ReconcileContext,
  ): ReconcileResult {
    log.error('reconcile failed', error, { retries })
    this.#metrics.failed(isOwnMistake(error) ? 'panic' : 'transient')
    this.#queue.addRateLimited(key, priority)
    if (error instanceof Transient && error.withinMs !== undefined) {
      this.#queue.addAfter(key, error.withinMs, priority)
    }
    return 'error'
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
