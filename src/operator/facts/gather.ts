import { configMaps as known, names, secrets as fixedSecrets } from '../../api/names.ts'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { factsConfigMap, readFact, whereIs } from '../inputs/cluster-facts.ts'
import { readClusterObject } from '../inputs/cluster-objects.ts'
import type { Reading } from '../inputs/cluster-reading.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { FactsCaches } from './caches.ts'
import { apiServiceKey } from './caches.ts'
import type { ClusterFacts } from './cluster-facts.ts'

/** All from the caches. */
export function gather(caches: FactsCaches, payloadVersion: string | undefined): ClusterFacts {
  const { objects } = caches
  const { get, isKnown, isServed, isLost } = objects.clusterVersion
  const clusterVersion = get(names.clusterVersion)
  const text = (key: string): Reading<string> => asText(key, readFact(objects, key))
  return {
    stored: caches.controllerConfigs.get(names.controllerConfig),
    infrastructure: readClusterObject(objects, 'infrastructure'),
    network: readClusterObject(objects, 'network'),
    proxy: readClusterObject(objects, 'proxy'),
    dns: readClusterObject(objects, 'dns'),
    apiService: caches.apiService.get(apiServiceKey),
    isOpenShift: isKnown() && !isLost() ? isServed() : undefined,
    release: payloadVersion ?? clusterVersion?.status?.desired?.version,
    releaseImages: single(configMaps, caches.releaseImages, known.images),
    osImages: single(configMaps, caches.osImages, known.osImage),
    cloudConfig: single(configMaps, caches.cloudConfig, known.cloudConfig),
    pullSecret: single(secrets, caches.pullSecret, fixedSecrets.pullSecret),
    configMap: factsConfigMap(objects),
    facts: {
      images: readFact(objects, 'images'),
      baseOSContainerImage: text('baseOSContainerImage'),
      baseOSExtensionsContainerImage: text('baseOSExtensionsContainerImage'),
      certificateDelivery: text('certificateDelivery'),
      containerRuntime: text('containerRuntime'),
    },
  }
}

function single<T extends KubeObject>(
  resource: Resource,
  informer: Informer<T>,
  { namespace, name }: ObjectKey,
): Reading<Readonly<T>> {
  const key = { namespace, name } as ObjectKey
  const object = informer.get(key)
  if (object) return { is: 'given', object, source: referenceTo(resource, object) }
  if (informer.hasSynced) return { is: 'nothing' }
  const message = `the API does not say whether there is a ${resource.kind} ${keyText(key)}: see to it that the operator may list and watch it`
  return { is: 'bad', problem: { reason: problemReasons.notReachable, message } }
}

function asText(key: string, fact: Reading<unknown>): Reading<string> {
  if (fact.is !== 'given') return fact
  const { object, source } = fact
  if (typeof object === 'string') return { is: 'given', object, source }
  const message = `${whereIs(key)}: it must be text`
  return { is: 'bad', problem: { reason: problemReasons.badValue, message, about: source } }
}
