import { ScopedMetrics } from '@machinist/core/scoped-metrics'
import type { KubeObject } from '@machinist/core/objects/resource'
import { Recorder } from '../events/recorder.ts'
import type { Informer } from '../informer/informer.ts'
import type { ControllerContext } from './controller-context.ts'
import type { RunnerOptions } from './controller-runner.ts'
import { ControllerRunner } from './controller-runner.ts'
import type { Controller } from './controller.ts'

/** An informer that the set starts and stops. */
export type Startable = Pick<Informer<KubeObject>, 'start'> &
  Partial<Pick<Informer<KubeObject>, 'onRestore'>>

/** Controllers that start and stop together. */
export interface ControllerSet extends RunnerOptions, Omit<ControllerContext, 'events'> {
  /** The reporting component of events. */
  readonly component: string
  /** The reporting instance of events: the name of the pod. */
  readonly instance?: string
  /**
   * Creates the controllers. `start` starts the informers that they need. Gauges in the metrics of the context are removed when
   * the set stops: the next leader, possibly on another machine, exposes them.
   */
  readonly controllers: (
    context: ControllerContext,
    start: (informer: Startable) => void,
  ) => Controller[]
  /** Called when the caches of all controllers have synced. */
  readonly ready?: () => void
}

/**
 * Runs all controllers until the signal aborts, and resolves when all have stopped. After a restore of etcd they restart with
 * empty caches, as Kubernetes recommends for every component.
 */
export async function runControllerSet(set: ControllerSet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const restored = new AbortController()
    await runUntil(set, AbortSignal.any([signal, restored.signal]), () => restored.abort())
    if (!restored.signal.aborted) return
    set.log.info('etcd was restored to an older state, restarting with empty caches')
  }
}

async function runUntil(
  set: ControllerSet,
  signal: AbortSignal,
  restored: () => void,
): Promise<void> {
  const { client, clock, random, log, component, instance = component, ready } = set
  const metrics = new ScopedMetrics(set.metrics)
  const events = new Recorder({ ...set, api: client, component, instance })
  // Caches run until the last reconcile has finished.
  const informers = new AbortController()
  const stopped: Promise<void>[] = []
  const start = (informer: Startable): void => {
    informer.onRestore?.(restored)
    stopped.push(informer.start(informers.signal))
  }
  const context = { client, clock, random, log, metrics, events }
  const controllers = set.controllers(context, start)
  if (ready) void whenSynced(controllers, ready)
  try {
    await Promise.all(
      controllers.map((each) => new ControllerRunner(each, { ...set, metrics }).run(signal)),
    )
  } finally {
    informers.abort()
    await Promise.all(stopped)
    await events.close()
    metrics.end()
  }
}

async function whenSynced(controllers: readonly Controller[], ready: () => void): Promise<void> {
  const inputs = controllers.flatMap((controller) => controller.inputs)
  const synced = await Promise.all(inputs.map((input) => input.synced()))
  if (synced.every(Boolean)) ready()
}
