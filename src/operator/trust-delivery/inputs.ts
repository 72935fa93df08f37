import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { ControllerConfig, NodeTrust } from '../../api/kinds/resources.ts'
import type { TrackedDelivery } from './tracked-delivery.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'synced' | 'subscribe'>

/** The caches of this controller; other controllers may share the informers. */
export interface TrustDeliveryCaches {
  /** With `withoutCertificates` as transform, unless another controller needs the certificates. */
  readonly nodeTrusts: Cache<NodeTrust>
  readonly nodes: Cache<Node>
  readonly controllerConfigs: Cache<ControllerConfig>
}

/** The only key is the name of the ControllerConfig. Every change updates the counts first. */
export function trustDeliveryInputs(
  { controllerConfigs, nodes, nodeTrusts }: TrustDeliveryCaches,
  tracked: TrackedDelivery,
  clock: Clock,
): Input[] {
  const keyIf = (isRelevant: boolean): string[] => (isRelevant ? [names.controllerConfig] : [])
  return [
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => keyIf(tracked.controllerConfigChanged(change, clock.now())),
    }),
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => keyIf(tracked.nodeChanged(change, clock.now())),
    }),
    input({
      resource: 'NodeTrust',
      informer: nodeTrusts,
      keys: (change) => keyIf(tracked.nodeTrustChanged(change, clock.now())),
    }),
  ]
}
