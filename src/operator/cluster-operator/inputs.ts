import { names } from '../../api/names.ts'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperatorCaches } from './caches.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { TaskReports } from './tasks.ts'

/** The only key is the name of the ClusterOperator. */
export function inputsOf(informers: ClusterOperatorCaches, reports: TaskReports): Input[] {
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
      informer: informers.clusterOperators,
      keys: named(names.clusterOperator, kubeAPIServer),
    }),
    input({ resource: 'MachineConfigPool', informer: informers.pools, keys: all }),
    input({ resource: 'MachineConfig', informer: informers.machineConfigs, keys: all }),
    input({
      resource: 'ControllerConfig',
      informer: informers.controllerConfigs,
      keys: named(names.controllerConfig),
    }),
    input({
      resource: 'MachineConfiguration',
      informer: informers.machineConfigurations,
      keys: named(names.machineConfiguration),
    }),
    input({ resource: 'KubeletConfig', informer: informers.kubeletConfigs, keys: all }),
    input({
      resource: 'ContainerRuntimeConfig',
      informer: informers.containerRuntimeConfigs,
      keys: all,
    }),
    input({
      resource: 'Node',
      informer: informers.nodes,
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
