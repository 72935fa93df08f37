import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { clusterFacts, names } from '../../api/names.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import { parseYaml } from '@machinist/core/yaml'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { ClusterKind, ClusterKinds, Reading } from './cluster-reading.ts'
import { readingOf } from './cluster-reading.ts'
import { problemReasons } from './problem.ts'

/** The ConfigMap machinist-cluster, if there is one, and the metadata of the ControllerConfig, which remembers it. */
export interface FactsSource {
  readonly configMap: Informer<ConfigMap>
  readonly controllerConfig: Informer<KubeObject>
}

/** Whether the ConfigMap is there, as far as its absence can be believed. */
export function factsConfigMap(source: FactsSource): Reading<Readonly<ConfigMap>> {
  const object = source.configMap.get(clusterFacts)
  if (object) return { is: 'given', object, source: referenceTo(configMaps, object) }
  const what = `ConfigMap ${keyText(clusterFacts)}`
  if (!source.configMap.hasSynced || !source.controllerConfig.hasSynced) {
    const message = `the API does not say whether there is a ${what}: see to it that the operator may list and watch it`
    return { is: 'bad', problem: { reason: problemReasons.notReachable, message } }
  }
  const { annotations = {} } = source.controllerConfig.get(names.controllerConfig)?.metadata ?? {}
  if (annotations[ownControllerConfigAnnotations.clusterFacts] === undefined) {
    return { is: 'nothing' }
  }
  const message = `${what} is gone: make it again, without keys if its defaults shall hold`
  return { is: 'bad', problem: { reason: problemReasons.missing, message } }
}

/** One key of the ConfigMap, read as YAML; blank text counts as none. */
export function readFact(from: FactsSource, key: string): Reading<unknown> {
  const configMap = factsConfigMap(from)
  if (configMap.is !== 'given') return configMap
  const { object, source } = configMap
  const text = object.data?.[key]
  if (text === undefined || text.trim() === '') return { is: 'nothing' }
  try {
    return { is: 'given', object: parseYaml(text, whereIs(key)), source }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { message } = error
    return { is: 'bad', problem: { reason: problemReasons.unreadable, message, about: source } }
  }
}

/** For messages. */
export const whereIs = (key: string): string => `ConfigMap ${keyText(clusterFacts)}, key ${key}`

export function objectFromFacts<Kind extends ClusterKind>(
  from: FactsSource,
  kind: Kind,
  resource: Resource<ClusterKinds[Kind]>,
): Reading<ClusterKinds[Kind]> {
  const fact = readFact(from, kind)
  if (fact.is !== 'given') return fact
  return readingOf(kind, resource, fact.object, { where: whereIs(kind), source: fact.source })
}
