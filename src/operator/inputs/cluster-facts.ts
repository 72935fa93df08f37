import { InvalidInput } from '@machinist/core/errors'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { clusterFacts, names } from '../../api/names.ts'
import type { ClusterKind, ClusterKinds, ClusterReading } from './cluster-reading.ts'
import { readClusterValue } from './cluster-reading.ts'
import { problemReasons } from './problem.ts'

/** ConfigMap machinist-cluster, if it exists, and the metadata of the ControllerConfig, which records that it existed. */
export interface FactsSource {
  readonly configMap: Informer<ConfigMap>
  readonly controllerConfig: Informer<KubeObject>
}

/** The ConfigMap; absent only if it never existed. */
export function factsConfigMap(source: FactsSource): ClusterReading<Readonly<ConfigMap>> {
  const object = source.configMap.get(clusterFacts)
  if (object) return { type: 'given', object, source: referenceTo(configMaps, object) }
  const what = `ConfigMap ${keyText(clusterFacts)}`
  if (!source.configMap.hasSynced || !source.controllerConfig.hasSynced) {
    const message = `cannot list and watch ${what}: grant the operator list and watch permissions`
    return { type: 'invalid', problem: { reason: problemReasons.notReachable, message } }
  }
  const { annotations = {} } = source.controllerConfig.get(names.controllerConfig)?.metadata ?? {}
  if (annotations[ownControllerConfigAnnotations.clusterFacts] === undefined) {
    return { type: 'absent' }
  }
  const message = `${what} was deleted: create it again, without keys to use the defaults`
  return { type: 'invalid', problem: { reason: problemReasons.missing, message } }
}

/** One key of the ConfigMap, parsed as YAML; a blank value counts as absent. */
export function readFact(from: FactsSource, key: string): ClusterReading<unknown> {
  const configMap = factsConfigMap(from)
  if (configMap.type !== 'given') return configMap
  const { object, source } = configMap
  const text = object.data?.[key]
  if (text === undefined || text.trim() === '') return { type: 'absent' }
  try {
    return { type: 'given', object: parseYaml(text, describeFactsKey(key)), source }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { message } = error
    return {
      type: 'invalid',
      problem: { reason: problemReasons.unreadable, message, about: source },
    }
  }
}

/** The place of a key, for messages. */
export const describeFactsKey = (key: string): string =>
  `ConfigMap ${keyText(clusterFacts)}, key ${key}`

export function objectFromFacts<Kind extends ClusterKind>(
  from: FactsSource,
  kind: Kind,
  resource: Resource<ClusterKinds[Kind]>,
): ClusterReading<ClusterKinds[Kind]> {
  const fact = readFact(from, kind)
  if (fact.type !== 'given') return fact
  return readClusterValue(kind, resource, fact.object, {
    where: describeFactsKey(kind),
    source: fact.source,
  })
}
