import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { between } from '@machinist/core/random'
import type { ControllerSet, Startable } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { ControllerConfig, NodeTrust } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { kubeletTurnsController } from '../../../src/operator/kubelet-turns/kubelet-turns.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { trustCaches } from '../../../src/operator/trust/caches.ts'
import { trustController } from '../../../src/operator/trust/trust.ts'
import { withoutCertificates } from '../../../src/operator/trust-delivery/caches.ts'
import { trustDeliveryController } from '../../../src/operator/trust-delivery/trust-delivery.ts'
import type { ProcessTools } from '../led-process.ts'

/** The operator with all its loops. Its tokens are from the seed. */
export function wholeOperator(tools: ProcessTools, term: AbortSignal): Promise<void> {
  const bytes = (length: number): Uint8Array =>
    Uint8Array.from({ length }, () => between(tools.random, 0, 255))
  return runOperator({ ...tools, version: '1.2.3', chance: { bytes } }, term)
}

/** Only the operator's trust loops: the other loops are independent of them and double the cost of a simulation. */
export async function trustLoops(tools: ProcessTools, term: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (context, keep) => {
    const trust = trustController(context, trustCaches(context, keep))
    const caches = deliveryCaches(tools, keep)
    const delivery = trustDeliveryController(context, caches)
    const turns = kubeletTurnsController(context, caches)
    return [trust, delivery, turns]
  }
  await runControllerSet({ ...tools, component: 'machineconfigoperator', controllers }, term)
}

function deliveryCaches(tools: ProcessTools, keep: (informer: Startable) => void) {
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    transform?: (object: T) => T,
  ): Informer<T> => {
    const informer = new Informer<T>({
      ...tools,
      resource: resource.plural,
      source: tools.client.listWatch(resource),
      ...(transform && { transform }),
    })
    keep(informer)
    return informer
  }
  return {
    nodeTrusts: follow<NodeTrust>(nodeTrusts, withoutCertificates),
    nodes: follow<Node>(nodes),
    controllerConfigs: follow<ControllerConfig>(controllerConfigs),
  }
}
