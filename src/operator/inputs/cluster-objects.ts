import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { clusterFacts, names } from '../../api/names.ts'
import type { ClusterVersion } from '../../api/openshift-config.ts'
import * as config from '../../api/openshift-config.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { FactsSource } from './cluster-facts.ts'
import { objectFromFacts } from './cluster-facts.ts'
import type { ClusterKind, ClusterKinds, ClusterReading } from './cluster-reading.ts'
import { readClusterValue } from './cluster-reading.ts'
import { independentInput } from './independent-input.ts'
import { problemReasons } from './problem.ts'

/*
 * Reads OpenShift's configuration objects in every cluster:
 *
 * - `followClusterObjects(context, keep)` creates the informers, and `keep` starts each;
 * - `clusterObjectInputs(objects, ['proxy', 'image'], key, clock)` are the inputs of a controller that reads some of them;
 * - `readClusterObject(objects, 'proxy')` reads the object of the API if its kind is served, or else this key of ConfigMap
 *   openshift-machine-config-operator/machinist-cluster.
 *
 * A reading is `given` (the object, and a reference to its source), `absent` (a default applies) or `invalid` (a problem to
 * report; the last valid value stays).
 */

/** A kind that only some clusters serve. */
interface OptionalKind<T extends KubeObject> {
  readonly resource: Resource<T>
  readonly get: (name: string) => Readonly<T> | undefined
  readonly isKnown: () => boolean
  readonly isServed: () => boolean
  /** Whether it was served before and is not any more. */
  readonly isLost: () => boolean
  readonly input: (key: string, clock: Clock) => Input
}

type OptionalKinds = { readonly [Kind in ClusterKind]: OptionalKind<ClusterKinds[Kind]> }

export interface ClusterObjects extends OptionalKinds, FactsSource {
  readonly clusterVersion: OptionalKind<ClusterVersion>
}

export function followClusterObjects(
  { client, clock, random, log, metrics }: ControllerContext,
  keep: (informer: Startable) => void,
): ClusterObjects {
  const tools = { clock, random, log, metrics }
  const optional = <T extends KubeObject>(resource: Resource<T>): OptionalKind<T> => {
    const source = new OptionalSource(client.listWatch(resource), clock)
    const informer = new Informer<T>({ ...tools, resource: resource.plural, source })
    keep(informer)
    return {
      resource,
      get: (name) => informer.get(name),
      isKnown: () => informer.hasSynced,
      isServed: () => source.isServed,
      isLost: () => source.isLost,
      input: (key, time) =>
        independentInput({ resource: resource.kind, informer, keys: () => [key], clock: time }),
    }
  }
  const { namespace, name } = clusterFacts
  const configMap = new Informer<ConfigMap>({
    ...tools,
    resource: `configmap ${name}`,
    source: client.listWatch(configMaps, { namespace, fields: `metadata.name=${name}` }),
  })
  keep(configMap)
  const controllerConfig = new Informer<KubeObject>({
    ...tools,
    resource: 'metadata of controllerconfigs',
    source: client.listWatch(controllerConfigs, { metadataOnly: true }),
  })
  keep(controllerConfig)
  return {
    infrastructure: optional(config.infrastructures),
    network: optional(config.networks),
    proxy: optional(config.proxies),
    dns: optional(config.dnses),
    image: optional(config.images),
    clusterVersion: optional(config.clusterVersions),
    configMap,
    controllerConfig,
  }
}

/** Always includes the ConfigMap, and ClusterVersion with Image. The inputs are independent of each other. */
export function clusterObjectInputs(
  objects: ClusterObjects,
  which: readonly (ClusterKind | 'clusterVersion')[],
  key: string,
  clock: Clock,
): Input[] {
  const { kind: resource } = configMaps
  const keys = (): string[] => [key]
  const all = new Set(which.includes('image') ? [...which, 'clusterVersion' as const] : which)
  return [
    ...[...all].map((each) => objects[each].input(key, clock)),
    independentInput({ resource, informer: objects.configMap, keys, clock }),
    independentInput({
      resource: controllerConfigs.kind,
      informer: objects.controllerConfig,
      keys,
      clock,
    }),
  ]
}

/** Objects have apiVersion, kind, name, spec and status, without volatile metadata. */
export function readClusterObject<Kind extends ClusterKind>(
  objects: ClusterObjects,
  kind: Kind,
): ClusterReading<ClusterKinds[Kind]> {
  const kinds: OptionalKinds = objects
  const { resource, get, isKnown, isServed, isLost } = kinds[kind]
  const plural = `${resource.plural}.${resource.group}`
  const name = names.clusterConfig
  const where = `${resource.kind} ${name}`
  const stored = get(name)
  if (stored) {
    const source = referenceTo(resource, stored)
    return readClusterValue(kind, resource, stored, { where, source })
  }
  if (!isKnown()) return notReachable(where, resource)
  if (isLost()) {
    const message = `the API server no longer serves ${plural}: install the CRD again, or restart the operator if the CRD was removed on purpose`
    return { type: 'invalid', problem: { reason: problemReasons.notReachable, message } }
  }
  if (!isServed()) return objectFromFacts(objects, kind, resource)
  if (!requiredKinds.has(kind)) return { type: 'absent' }
  if (kind === 'image') {
    // Clusters other than OpenShift may have this CRD, from deploy/image-registries, without an object.
    const version = objects.clusterVersion
    if (!version.isKnown())
      return notReachable(`${version.resource.kind} ${names.clusterVersion}`, version.resource)
    if (!version.isServed() && !version.isLost()) return objectFromFacts(objects, kind, resource)
  }
  const message = `${where} is missing: create it`
  return { type: 'invalid', problem: { reason: problemReasons.missing, message } }
}

function notReachable(where: string, { plural, group }: Resource): ClusterReading<never> {
  const message = `cannot read ${where}: grant the operator permission to list and watch ${plural}.${group}`
  return { type: 'invalid', problem: { reason: problemReasons.notReachable, message } }
}

/** If these kinds are served, the object must exist. */
const requiredKinds: ReadonlySet<ClusterKind> = new Set(['infrastructure', 'network', 'image'])
