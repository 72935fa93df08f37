import { configMaps as known, secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap, Service } from '@machinist/kube/kinds/core'
import { configMaps, secrets, services } from '@machinist/kube/kinds/core'
import type { ClusterObjects, ClusterObjectOptions } from '../inputs/cluster-objects.ts'
import { clusterObjectInputs, followClusterObjects } from '../inputs/cluster-objects.ts'
import { independentInput } from '../inputs/independent-input.ts'

/** The Service of the API server. */
export const apiServiceKey = { namespace: 'default', name: 'kubernetes' } as const

/** The caches of the facts controller: single objects, and only the metadata of the pull secret. */
export interface FactsCaches {
  readonly objects: ClusterObjects
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly apiService: Informer<Service>
  readonly releaseImages: Informer<ConfigMap>
  readonly osImages: Informer<ConfigMap>
  readonly cloudConfig: Informer<ConfigMap>
  readonly pullSecret: Informer<KubeObject>
}

export function followFacts(
  options: ClusterObjectOptions,
  controllerConfigs: Informer<ControllerConfig>,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): FactsCaches {
  const { client, clock, random, log, metrics } = options
  const tools = { clock, random, log, metrics }
  const one = <T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Informer<T> => {
    const scope = { namespace: key.namespace, fields: `metadata.name=${key.name}` }
    const informer = new Informer<T>({
      ...tools,
      resource: `${resource.plural} ${key.name}`,
      source: client.listWatch(resource, scope),
    })
    keep(informer)
    return informer
  }
  const { namespace, name } = fixedSecrets.pullSecret
  const pullSecret = new Informer<KubeObject>({
    ...tools,
    resource: `metadata of secrets ${name}`,
    source: client.listWatch(secrets, {
      namespace,
      fields: `metadata.name=${name}`,
      metadataOnly: true,
    }),
  })
  keep(pullSecret)
  return {
    objects: followClusterObjects(options, keep),
    controllerConfigs,
    apiService: one(services, apiServiceKey),
    releaseImages: one(configMaps, known.images),
    osImages: one(configMaps, known.osImage),
    cloudConfig: one(configMaps, known.cloudConfig),
    pullSecret,
  }
}

export function factsInputs(
  caches: FactsCaches,
  key: string,
  clock: ClusterObjectOptions['clock'],
): Input[] {
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
