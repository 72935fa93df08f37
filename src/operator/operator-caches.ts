import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Namespace, Node, Secret } from '@machinist/kube/kinds/core'
import { namespaces, nodes, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import type { ClusterOperator } from '../api/openshift-config.ts'
import { clusterOperators } from '../api/openshift-config.ts'
import { namespaces as fixedNamespaces } from '../api/names.ts'
import * as api from '../api/kinds/resources.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
  NodeTrust,
} from '../api/kinds/resources.ts'
import { withoutConfig } from './cluster-operator/caches.ts'
import { machineAPIScope, userDataSource } from './pools/caches.ts'
import { withoutCertificates } from './trust-delivery/caches.ts'

/** One informer for each kind that several controllers read. The trust controller has its own informers. */
export interface OperatorCaches {
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly pools: Informer<MachineConfigPool>
  /** Without their content: `withoutConfig`. */
  readonly machineConfigs: Informer<MachineConfig>
  readonly machineConfigurations: Informer<MachineConfiguration>
  readonly kubeletConfigs: Informer<KubeletConfig>
  readonly containerRuntimeConfigs: Informer<ContainerRuntimeConfig>
  readonly nodes: Informer<Node>
  readonly nodeTrusts: Informer<NodeTrust>
  /** Empty outside OpenShift. */
  readonly clusterOperators: Informer<ClusterOperator>
  readonly hasClusterOperators: () => boolean
  readonly userData: Informer<Secret>
  /** Provisioning tokens, and user data of clusters without the Machine API. */
  readonly provisioning: Informer<Secret>
  readonly machineAPI: Informer<Namespace>
}

/** Creates the informers, and passes each to `keep`, which starts it. */
export function operatorCaches(
  { client, clock, random, log, metrics }: ControllerContext,
  keep: (informer: Startable) => void,
): OperatorCaches {
  const tools = { clock, random, log, metrics }
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    { transform, source, name, ...scope }: ListWatchScope & Following<T> = {},
  ): Informer<T> => {
    const informer = new Informer<T>({
      ...tools,
      resource: name ?? resource.plural,
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
    provisioning: follow(secrets, {
      namespace: fixedNamespaces.provisioning,
      name: 'provisioning secrets',
    }),
    machineAPI: follow(namespaces, machineAPIScope),
  }
}

interface Following<T extends KubeObject> {
  /** In logs and metrics; the plural of the resource by default. */
  readonly name?: string
  readonly transform?: (object: T) => T
  readonly source?: ListWatch<T>
}

/** Drops the image list of a Node and other large fields that the operator does not read. */
function slim({ metadata, status }: Node): Node {
  const { nodeInfo, conditions } = status ?? {}
  return { metadata, status: { ...(nodeInfo && { nodeInfo }), ...(conditions && { conditions }) } }
}
