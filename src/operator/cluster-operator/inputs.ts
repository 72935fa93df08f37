import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { TaskReports } from './tasks.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'list' | 'synced' | 'subscribe'>

/** The caches of this controller; other controllers may share all of them. */
export interface ClusterOperatorCaches {
  /** From an `OptionalSource`: only OpenShift serves the kind. */
  readonly clusterOperators: Cache<ClusterOperator>
  /** Whether the cluster serves the kind. */
  readonly hasClusterOperators: () => boolean
  readonly pools: Cache<MachineConfigPool>
  /** With `withoutConfig` as transform, unless another controller needs the content. */
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
  readonly machineConfigurations: Cache<MachineConfiguration>
  readonly kubeletConfigs: Cache<KubeletConfig>
  readonly containerRuntimeConfigs: Cache<ContainerRuntimeConfig>
  readonly nodes: Cache<Node>
}

/** The only key is the name of the ClusterOperator. */
export function clusterOperatorInputs(
  caches: ClusterOperatorCaches,
  reports: TaskReports,
): Input[] {
  const key = names.clusterOperator
  const all = (): string[] => [key]
  const named =
    (...relevant: readonly string[]) =>
    ({ object }: Change<KubeObject>): string[] =>
      relevant.includes(object.metadata.name) ? [key] : []
  return [
    reports.input(key),
    input({
      resource: 'ClusterOperator',
      informer: caches.clusterOperators,
      keys: named(names.clusterOperator, kubeAPIServer),
    }),
    input({ resource: 'MachineConfigPool', informer: caches.pools, keys: all }),
    input({ resource: 'MachineConfig', informer: caches.machineConfigs, keys: all }),
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: named(names.controllerConfig),
    }),
    input({
      resource: 'MachineConfiguration',
      informer: caches.machineConfigurations,
      keys: named(names.machineConfiguration),
    }),
    input({ resource: 'KubeletConfig', informer: caches.kubeletConfigs, keys: all }),
    input({
      resource: 'ContainerRuntimeConfig',
      informer: caches.containerRuntimeConfigs,
      keys: all,
    }),
    input({
      resource: 'Node',
      informer: caches.nodes,
      keys: (change) => (isRelevant(change) ? [key] : []),
    }),
  ]
}

/** Nodes change every few minutes; only labels and versions are relevant here. */
function isRelevant(change: Change<Node>): boolean {
  return (
    change.type !== 'updated' ||
    !sameJson(relevantFields(change.before), relevantFields(change.object))
  )
}

const relevantFields = ({ metadata, status }: Readonly<Node>): unknown => [
  metadata.labels,
  status?.nodeInfo?.kubeletVersion,
]
