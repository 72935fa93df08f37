import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { configMaps as known, names, secrets as fixedSecrets } from '../../api/names.ts'
import { factsConfigMap, readFact, describeFactsKey } from '../inputs/cluster-facts.ts'
import { readClusterObject } from '../inputs/cluster-objects.ts'
import type { ClusterReading } from '../inputs/cluster-reading.ts'
import { problemReasons } from '../inputs/problem.ts'
import { apiServiceKey } from './caches.ts'
import type { ClusterFacts, ReleaseVersions } from './facts.ts'
import type { ClusterFactsCaches } from './inputs.ts'
import type { TrustWait } from './trust-wait.ts'

export interface ClusterFactsSources {
  readonly caches: ClusterFactsCaches
  readonly trustWait: TrustWait
  readonly versions: ReleaseVersions
  /** The release of the cluster that Machinist is part of, if any. */
  readonly payloadVersion: string | undefined
}

/** All facts, from the caches; undefined while the ControllerConfig is being deleted. */
export function gather(sources: ClusterFactsSources): ClusterFacts | undefined {
  const { caches, trustWait, versions, payloadVersion } = sources
  const { objects } = caches
  const stored = caches.controllerConfigs.get(names.controllerConfig)
  if (stored?.metadata.deletionTimestamp) return undefined
  const { get, isKnown, isServed, isLost } = objects.clusterVersion
  const clusterVersion = get(names.clusterVersion)
  const text = (key: string): ClusterReading<string> => asText(key, readFact(objects, key))
  return {
    stored,
    trustWaitMs: trustWait.remainingMs(stored),
    versions,
    infrastructure: readClusterObject(objects, 'infrastructure'),
    network: readClusterObject(objects, 'network'),
    proxy: readClusterObject(objects, 'proxy'),
    dns: readClusterObject(objects, 'dns'),
    apiService: caches.apiService.get(apiServiceKey),
    isOpenShift: isKnown() && !isLost() ? isServed() : undefined,
    release: payloadVersion ?? clusterVersion?.status?.desired?.version,
    releaseImages: readSingle(configMaps, caches.releaseImages, known.images),
    osImages: readSingle(configMaps, caches.osImages, known.osImage),
    cloudConfig: readSingle(configMaps, caches.cloudConfig, known.cloudConfig),
    pullSecret: readSingle(secrets, caches.pullSecret, fixedSecrets.pullSecret),
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

function readSingle<T extends KubeObject>(
  resource: Resource,
  informer: Informer<T>,
  { namespace, name }: ObjectKey,
): ClusterReading<Readonly<T>> {
  const key = { namespace, name } as ObjectKey
  const object = informer.get(key)
  if (object) return { type: 'given', object, source: referenceTo(resource, object) }
  if (informer.hasSynced) return { type: 'absent' }
  const message = `cannot list and watch ${resource.kind} ${keyText(key)}: grant the operator list and watch permissions`
  return { type: 'invalid', problem: { reason: problemReasons.notReachable, message } }
}

function asText(key: string, fact: ClusterReading<unknown>): ClusterReading<string> {
  if (fact.type !== 'given') return fact
  const { object, source } = fact
  if (typeof object === 'string') return { type: 'given', object, source }
  const message = `${describeFactsKey(key)}: must be a string`
  return { type: 'invalid', problem: { reason: problemReasons.badValue, message, about: source } }
}
