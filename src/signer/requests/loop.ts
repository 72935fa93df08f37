import type { Startable } from '@machinist/kube/controller/controller-set'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { RequestCacheOptions } from './caches.ts'
import { requestCaches } from './caches.ts'
import { requestsController } from './requests.ts'
import { whetherToApprove } from './whether.ts'

export interface LoopOptions extends RequestCacheOptions {
  /** They are, except on OpenShift, unless said. */
  readonly approveRequests?: boolean
  readonly events: EventRecorder
}

/**
 * The controller for kubelets' requests. Where it is not wanted it rests and follows nothing. It finds that out while other
 * loops work already.
 */
export function requestsLoop(
  options: LoopOptions,
  keep: (informer: Startable) => void,
): Controller {
  const caches = requestCaches(options)
  const controller = requestsController({ ...options, caches })
  const isWanted = Promise.withResolvers<boolean>()
  keep({
    start: async (signal) => {
      const isOn = await whetherToApprove(options, signal)
      isWanted.resolve(isOn)
      if (!isOn) return
      const informers = [...caches.requests, caches.apiService]
      await Promise.all(informers.map((informer) => informer.start(signal)))
    },
  })
  const patient = (input: Input): Input => ({
    ...input,
    synced: async () => !(await isWanted.promise) || input.synced(),
  })
  return {
    name: controller.name,
    inputs: controller.inputs.map(patient),
    outputs: controller.outputs,
    reconcile: (key, context) => controller.reconcile(key, context),
  }
}
