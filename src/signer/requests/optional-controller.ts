import type { Startable } from '@machinist/kube/controller/controller-set'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { RequestCacheOptions } from './caches.ts'
import { requestCaches } from './caches.ts'
import { requestsController } from './requests.ts'
import { isApprovalEnabled } from './approval-enabled.ts'

export interface OptionalControllerOptions extends RequestCacheOptions {
  /** Whether to approve requests; by default, except on OpenShift. */
  readonly approveRequests?: boolean
  readonly events: EventRecorder
}

/**
 * The requests controller as the signer runs it. If approval is disabled, it starts no informer and reconciles nothing. It
 * determines that while other controllers already run.
 */
export function optionalRequestsController(
  options: OptionalControllerOptions,
  keep: (informer: Startable) => void,
): Controller {
  const caches = requestCaches(options)
  const controller = requestsController({ ...options, caches })
  const isEnabled = Promise.withResolvers<boolean>()
  keep({
    start: async (signal) => {
      const isOn = await isApprovalEnabled(options, signal)
      isEnabled.resolve(isOn)
      if (!isOn) return
      const informers = [...caches.requests, caches.apiService]
      await Promise.all(informers.map((informer) => informer.start(signal)))
    },
  })
  const withOptionalSync = (input: Input): Input => ({
    ...input,
    synced: async () => !(await isEnabled.promise) || input.synced(),
  })
  return {
    name: controller.name,
    inputs: controller.inputs.map(withOptionalSync),
    outputs: controller.outputs,
    reconcile: (key, context) => controller.reconcile(key, context),
  }
}
