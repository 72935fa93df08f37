import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { configMaps, secrets, services } from '@machinist/kube/kinds/core'
import { configMaps as known, secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { followClusterObjects } from '../inputs/cluster-objects.ts'
import type { ClusterFactsCaches } from './inputs.ts'

/** The Service of the API server. */
export const apiServiceKey = { namespace: 'default', name: 'kubernetes' } as const

/** Creates the informers, besides that of the ControllerConfig, and passes each to `keep`, which starts it. */
export function clusterFactsCaches(
  context: ControllerContext,
  controllerConfigs: Informer<ControllerConfig>,
  keep: (informer: Startable) => void,
): ClusterFactsCaches {
  const { client, clock, random, log, metrics } = context
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
    objects: followClusterObjects(context, keep),
    controllerConfigs,
    apiService: one(services, apiServiceKey),
    releaseImages: one(configMaps, known.images),
    osImages: one(configMaps, known.osImage),
    cloudConfig: one(configMaps, known.cloudConfig),
    pullSecret,
  }
}
