import type { KubeObject } from '../../base/resource.ts'
import type { EventApi } from '../events/event-sender.ts'
import { Recorder } from '../events/recorder.ts'
import type { Informer } from '../informer/informer.ts'
import type { RunnerOptions } from './controller-runner.ts'
import { ControllerRunner } from './controller-runner.ts'
import type { Controller } from './controller.ts'

/** Something that follows the cluster. */
export type Startable = Pick<Informer<KubeObject>, 'start'>

/** Controllers that begin and end together. */
export interface ControllerSet extends RunnerOptions {
  readonly client: EventApi
  /** Who tells, in events. */
  readonly component: string
  /** Where this runs, as events tell it: the name of the pod. */
  readonly instance?: string
  /** Makes them; whatever informer they need is handed to `keep`, which starts it. */
  readonly controllers: (events: Recorder, keep: (informer: Startable) => void) => Controller[]
  /** Called when every controller knows the cluster and works. */
  readonly ready?: () => void
}

/** Runs all of them until the signal aborts, each at its own pace, and resolves when all have stopped. */
export async function runControllerSet(set: ControllerSet, signal: AbortSignal): Promise<void> {
  const { client, component, instance = component, ready } = set
  const events = new Recorder({ ...set, api: client, component, instance })
  // Caches go on until the last reconcile has ended.
  const following = new AbortController()
  const followed: Promise<void>[] = []
  const controllers = set.controllers(events, (informer) => {
    followed.push(informer.start(following.signal))
  })
  if (ready) void whenSynced(controllers, ready)
  try {
    await Promise.all(
      controllers.map((controller) => new ControllerRunner(controller, set).run(signal)),
    )
  } finally {
    following.abort()
    await Promise.all(followed)
    await events.close()
  }
}

async function whenSynced(controllers: readonly Controller[], ready: () => void): Promise<void> {
  const inputs = controllers.flatMap((controller) => controller.inputs)
  const synced = await Promise.all(inputs.map((input) => input.synced()))
  if (synced.every(Boolean)) ready()
}
