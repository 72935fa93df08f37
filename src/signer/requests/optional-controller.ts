import type { Controller, Input } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { ApprovalSettings } from './approval-enabled.ts'
import { isApprovalEnabled } from './approval-enabled.ts'
import { requestCaches } from './caches.ts'
import { requestsController } from './requests.ts'

/**
 * The requests controller as the signer runs it. If approval is disabled, it starts no informer and reconciles nothing. It
 * determines that while other controllers already run. `nodes` has the index `nodeNameIndex`, and its creator starts it.
 */
export function optionalRequestsController(
  context: ControllerContext,
  nodes: Informer<Node>,
  keep: (informer: Startable) => void,
  settings: ApprovalSettings = {},
): Controller {
  const caches = requestCaches(context, nodes)
  const controller = requestsController(context, caches)
  const isEnabled = Promise.withResolvers<boolean>()
  keep({
    start: async (signal) => {
      const isOn = await isApprovalEnabled(context, settings, signal)
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
  return { ...controller, inputs: controller.inputs.map(withOptionalSync) }
}
