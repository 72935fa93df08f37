import type { KubeObject } from '@machinist/core/objects/resource'
import type { ChangeSource, Controller, Input } from './controller.ts'
import { settled } from './outcome.ts'

export interface Pause<T extends KubeObject, F extends ChangeSource<T>> {
  /** The kind that decides whether the controller is paused. */
  readonly resource: string
  readonly informer: F
  readonly isPaused: (informer: F) => boolean
}

/**
 * A controller that does not reconcile while it is paused. Keys that are due meanwhile are kept and enqueued when a change of
 * the informer ends the pause. It starts after the informer has synced, so that it does not start unpaused.
 */
export function pausedController<T extends KubeObject, F extends ChangeSource<T>>(
  controller: Controller,
  { resource, informer, isPaused }: Pause<T, F>,
): Controller {
  const { name, inputs, outputs, workers, timeoutMs } = controller
  const due = new Set<string>()
  const resumed: Input = {
    resource,
    synced: () => informer.synced(),
    subscribe: (enqueue) =>
      informer.subscribe(() => {
        if (isPaused(informer)) return
        for (const key of due) enqueue(key, 0)
        due.clear()
      }),
  }
  return {
    name,
    outputs,
    inputs: [...inputs, resumed],
    ...(workers !== undefined && { workers }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    async reconcile(key, context) {
      if (!isPaused(informer)) return await controller.reconcile(key, context)
      due.add(key)
      return settled
    },
    onStalled: (key, stalled, context) => controller.onStalled?.(key, stalled, context),
  }
}
