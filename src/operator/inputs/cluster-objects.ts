import { clusterFacts, names } from '../../api/names.ts'
import type { ClusterVersion } from '../../api/openshift-config.ts'
import * as config from '../../api/openshift-config.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Input } from '@machinist/kube/controller/controller'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { FactsSource } from './cluster-facts.ts'
import { objectFromFacts } from './cluster-facts.ts'
import type { ClusterKind, ClusterKinds, Reading } from './cluster-reading.ts'
import { readingOf } from './cluster-reading.ts'
import { patientInput } from './patient-input.ts'
import { problemReasons } from './problem.ts'

/*
 * The one way to what OpenShift's configuration objects say, on every cluster:
 *
 * - `followClusterObjects(options, keep)` makes the informers, and `keep` starts each;
 * - `clusterObjectInputs(objects, ['proxy', 'image'], key, clock)` are the inputs of a controller that reads some of them;
 * - `readClusterObject(objects, 'proxy')` tells what there is: the object of the API where its kind is served, else what
 *   ConfigMap openshift-machine-config-operator/machinist-cluster says under that key, else nothing.
 *
 * A reading is `given` (the object, and a reference to where it came from), `nothing` (a default may hold) or `bad` (a
 * problem to show; what was there before stays).
 */

/** A kind that only some clusters have. */
interface OptionalKind<T extends KubeObject> {
  readonly resource: Resource<T>
  readonly get: (name: string) => Readonly<T> | undefined
  readonly isKnown: () => boolean
  readonly isServed: () => boolean
  /** Whether it was served before, and is not now. */
  readonly isLost: () => boolean
  readonly input: (key: string, clock: Clock) => Input
}

type OptionalKinds = { readonly [Kind in ClusterKind]: OptionalKind<ClusterKinds[Kind]> }

export interface ClusterObjects extends OptionalKinds, FactsSource {
  readonly clusterVersion: OptionalKind<ClusterVersion>
}

export interface FollowOptions extends Pick<
  InformerOptions<KubeObject>,
  'clock' | 'random' | 'log' | 'metrics'
> {
  readonly client: KubeClient
}

export function followClusterObjects(
  { client, clock, random, log, metrics }: FollowOptions,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
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
        patientInput({ resource: resource.kind, informer, keys: () => [key], clock: time }),
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

/** The ConfigMap is always among them, and what tells an OpenShift goes with Images. None of them holds up the others. */
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
    patientInput({ resource, informer: objects.configMap, keys, clock }),
    patientInput({
      resource: controllerConfigs.kind,
      informer: objects.controllerConfig,
      keys,
      clock,
    }),
  ]
}

/** Objects come with apiVersion, kind, name, spec and status, and nothing that changes without meaning anything. */
export function readClusterObject<Kind extends ClusterKind>(
  objects: ClusterObjects,
  kind: Kind,
): Reading<ClusterKinds[Kind]> {
  const kinds: OptionalKinds = objects
  const { resource, get, isKnown, isServed, isLost } = kinds[kind]
  const plural = `${resource.plural}.${resource.group}`
  const name = names.clusterConfig
  const where = `${resource.kind} ${name}`
  const stored = get(name)
  if (stored) {
    const source = referenceTo(resource, stored)
    return readingOf(kind, resource, stored, { where, source })
  }
  if (!isKnown()) return notSaid(where, resource)
  if (isLost()) {
    const message = `the API server does not know ${plural} any more: bring the kind back, or restart the operator if the cluster shall do without`
    return { is: 'bad', problem: { reason: problemReasons.notReachable, message } }
  }
  if (!isServed()) return objectFromFacts(objects, kind, resource)
  if (!alwaysThere.has(kind)) return { is: 'nothing' }
  if (kind === 'image') {
    // A plain Kubernetes may have been given this kind, by deploy/image-registries, and need not have made one.
    const version = objects.clusterVersion
    if (!version.isKnown())
      return notSaid(`${version.resource.kind} ${names.clusterVersion}`, version.resource)
    if (!version.isServed() && !version.isLost()) return objectFromFacts(objects, kind, resource)
  }
  const message = `${where} is gone: make it again`
  return { is: 'bad', problem: { reason: problemReasons.missing, message } }
}

function notSaid(where: string, { plural, group }: Resource): Reading<never> {
  const message = `the API does not say whether there is a ${where}: see to it that the operator may list and watch ${plural}.${group}`
  return { is: 'bad', problem: { reason: problemReasons.notReachable, message } }
}

/** Where these kinds are served, a cluster without such an object is broken rather than different. */
const alwaysThere: ReadonlySet<ClusterKind> = new Set(['infrastructure', 'network', 'image'])
