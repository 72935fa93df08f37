import type { Metrics } from '@machinist/core/metrics'
import { PassingMetrics } from '@machinist/core/passing-metrics'
import type { KubeObject } from '@machinist/core/resource'
import type { EventApi } from '../events/event-sender.ts'
import { Recorder } from '../events/recorder.ts'
import type { Informer } from '../informer/informer.ts'
import type { RunnerOptions } from './controller-runner.ts'
import { ControllerRunner } from './controller-runner.ts'
import type { Controller } from './controller.ts'

/** Something that follows the cluster. */
export type Startable = Pick<Informer<KubeObject>, 'start'> &
  Partial<Pick<Informer<KubeObject>, 'onRestore'>>

/** Controllers that begin and end together. */
export interface ControllerSet extends RunnerOptions {
  readonly client: EventApi
  /** Who tells, in events. */
  readonly component: string
  /** Where this runs, as events tell it: the name of the pod. */
  readonly instance?: string
  /**
   * Makes them; whatever informer they need is handed to `keep`, which starts it. Gauges in `metrics` end with them: the
   * next one, maybe on another machine, tells how things are then.
   */
  readonly controllers: (
    events: Recorder,
    keep: (informer: Startable) => void,
    metrics: Metrics,
  ) => Controller[]
  /** Called when every controller knows the cluster and works. */
  readonly ready?: () => void
}

/**
 * Runs all of them until the signal aborts, each at its own pace, and resolves when all have stopped. After a restore of etcd
 * they start again with empty caches, as Kubernetes recommends it for every component.
 */
export async function runControllerSet(set: ControllerSet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const restored = new AbortController()
    await runUntil(set, AbortSignal.any([signal, restored.signal]), () => restored.abort())
    if (!restored.signal.aborted) return
    set.log.info('the api server was restored to an older state: caches are filled again')
  }
}

async function runUntil(
  set: ControllerSet,
  signal: AbortSignal,
  restored: () => void,
): Promise<void> {
  const { client, component, instance = component, ready } = set
  const metrics = new PassingMetrics(set.metrics)
  const events = new Recorder({ ...set, api: client, component, instance })
  // Caches go on until the last reconcile has ended.
  const following = new AbortController()
  const followed: Promise<void>[] = []
  const keep = (informer: Startable): void => {
    informer.onRestore?.(restored)
    followed.push(informer.start(following.signal))
  }
  const controllers = set.controllers(events, keep, metrics)
  if (ready) void whenSynced(controllers, ready)
  try {
    await Promise.all(
      controllers.map((each) => new ControllerRunner(each, { ...set, metrics }).run(signal)),
    )
  } finally {
    following.abort()
    await Promise.all(followed)
    await events.close()
    metrics.end()
  }
}

async function whenSynced(controllers: readonly Controller[], ready: () => void): Promise<void> {
  const inputs = controllers.flatMap((controller) => controller.inputs)
  const synced = await Promise.all(inputs.map((input) => input.synced()))
  if (synced.every(Boolean)) ready()
}
