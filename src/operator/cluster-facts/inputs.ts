import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap, Service } from '@machinist/kube/kinds/core'
import { configMaps, secrets, services } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { ClusterObjects } from '../inputs/cluster-objects.ts'
import { clusterObjectInputs } from '../inputs/cluster-objects.ts'
import { independentInput } from '../inputs/independent-input.ts'

/** The caches that cluster facts come from: single objects, and only the metadata of the pull secret. */
export interface ClusterFactsCaches {
  readonly objects: ClusterObjects
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly apiService: Informer<Service>
  readonly releaseImages: Informer<ConfigMap>
  readonly osImages: Informer<ConfigMap>
  readonly cloudConfig: Informer<ConfigMap>
  readonly pullSecret: Informer<KubeObject>
}

/** The only key is the name of the ControllerConfig. */
export function clusterFactsInputs(caches: ClusterFactsCaches, clock: Clock): Input[] {
  const key = names.controllerConfig
  const { objects, controllerConfigs, ...single } = caches
  const which = ['infrastructure', 'network', 'proxy', 'dns', 'clusterVersion'] as const
  const of = <T extends KubeObject>(resource: Resource, informer: Informer<T>): Input =>
    independentInput({ resource: resource.kind, informer, keys: () => [key], clock })
  return [
    ...clusterObjectInputs(objects, which, key, clock),
    of(services, single.apiService),
    of(configMaps, single.releaseImages),
    of(configMaps, single.osImages),
    of(configMaps, single.cloudConfig),
    of(secrets, single.pullSecret),
    {
      // Required, because the decision compares with the whole object.
      resource: 'ControllerConfig',
      synced: () => controllerConfigs.synced(),
      subscribe: (enqueue) => controllerConfigs.subscribe(() => enqueue(key, 0)),
    },
  ]
}
