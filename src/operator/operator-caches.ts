import type { ClusterOperator } from '../api/openshift-config.ts'
import { clusterOperators } from '../api/openshift-config.ts'
import * as api from '../api/resources.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
  NodeTrust,
} from '../api/resources.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import type { Scope } from '@machinist/kube/client'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Namespace, Node, Secret } from '@machinist/kube/kinds/core'
import { namespaces, nodes, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import { withoutConfig } from './cluster-operator/caches.ts'
import type { FollowOptions } from './inputs/cluster-objects.ts'
import { withoutCertificates } from './ledger/ledger.ts'
import { machineAPIScope, userDataSource } from './pools/caches.ts'

/** One informer for each kind that more than one loop reads. The trust loop has its own, and shares nothing. */
export interface OperatorCaches {
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly pools: Informer<MachineConfigPool>
  /** Without what they say: only whose they are. */
  readonly machineConfigs: Informer<MachineConfig>
  readonly machineConfigurations: Informer<MachineConfiguration>
  readonly kubeletConfigs: Informer<KubeletConfig>
  readonly containerRuntimeConfigs: Informer<ContainerRuntimeConfig>
  readonly nodes: Informer<Node>
  readonly nodeTrusts: Informer<NodeTrust>
  /** OpenShift's; empty elsewhere. */
  readonly clusterOperators: Informer<ClusterOperator>
  readonly hasClusterOperators: () => boolean
  readonly userData: Informer<Secret>
  readonly machineAPI: Informer<Namespace>
}

/** Makes the informers, and hands each to `keep`, which starts it. */
export function operatorCaches(
  { client, clock, random, log, metrics }: FollowOptions,
  keep: (informer: Startable) => void,
): OperatorCaches {
  const tools = { clock, random, log, metrics }
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    { transform, source, ...scope }: Scope & Following<T> = {},
  ): Informer<T> => {
    const informer = new Informer<T>({
      ...tools,
      resource: resource.plural,
      source: source ?? client.listWatch(resource, scope),
      ...(transform && { transform }),
    })
    keep(informer)
    return informer
  }
  const optional = new OptionalSource(client.listWatch(clusterOperators), clock)
  return {
    controllerConfigs: follow(api.controllerConfigs),
    pools: follow(api.machineConfigPools),
    machineConfigs: follow(api.machineConfigs, { transform: withoutConfig }),
    machineConfigurations: follow(api.machineConfigurations),
    kubeletConfigs: follow(api.kubeletConfigs),
    containerRuntimeConfigs: follow(api.containerRuntimeConfigs),
    nodes: follow(nodes, { transform: slim }),
    nodeTrusts: follow(api.nodeTrusts, { transform: withoutCertificates }),
    clusterOperators: follow(clusterOperators, { source: optional }),
    hasClusterOperators: () => optional.isServed,
    userData: follow(secrets, { source: userDataSource(client, clock) }),
    machineAPI: follow(namespaces, machineAPIScope),
  }
}

interface Following<T extends KubeObject> {
  readonly transform?: (object: T) => T
  readonly source?: ListWatch<T>
}

/** A node lists all images that it holds, and much else that only its scheduler needs. */
function slim({ metadata, status }: Node): Node {
  const { nodeInfo, conditions } = status ?? {}
  return { metadata, status: { ...(nodeInfo && { nodeInfo }), ...(conditions && { conditions }) } }
}
