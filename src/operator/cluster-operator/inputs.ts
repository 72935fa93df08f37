import { names } from '../../api/names.ts'
import { sameJson } from '@machinist/core/json'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperatorInformers } from './caches.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { TaskReports } from './tasks.ts'

/** There is one key: everything is about the one object. */
export function inputsOf(informers: ClusterOperatorInformers, reports: TaskReports): Input[] {
  const key = names.clusterOperator
  const all = (): string[] => [key]
  const named =
    (...wanted: readonly string[]) =>
    ({ object }: Change<KubeObject>): string[] =>
      wanted.includes(object.metadata.name) ? [key] : []
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
      keys: (change) => (isNews(change) ? [key] : []),
    }),
  ]
}

/** Nodes report every few minutes; hardly anything of it is about versions. */
function isNews(change: Change<Node>): boolean {
  return change.type !== 'updated' || !sameJson(read(change.before), read(change.object))
}

const read = ({ metadata, status }: Readonly<Node>): unknown => [
  metadata.labels,
  status?.nodeInfo?.kubeletVersion,
]
