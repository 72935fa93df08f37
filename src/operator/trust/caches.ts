import {
  bootstrapMark,
  configMaps as fixed,
  names,
  registryCAs,
  registryOperator,
} from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import type { Scope } from '@machinist/kube/client'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import type { ClusterObjects, FollowOptions } from '../inputs/cluster-objects.ts'
import { followClusterObjects } from '../inputs/cluster-objects.ts'
import type { InputSource } from './inputs.ts'
import { trustInputs } from './inputs.ts'

export interface TrustCaches {
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly sources: readonly FollowedSource[]
  /** OpenShift's; empty elsewhere. */
  readonly registryOperators: Informer<KubeObject>
  /** Whether their kind was served before, and is not now. */
  readonly isRegistryOperatorLost: () => boolean
  readonly cluster: ClusterObjects
}

/** Some objects as metadata: that tells when to read one, and keeps nothing in memory that nobody asked for. */
export interface FollowedSource {
  readonly source: InputSource
  readonly resource: Resource
  readonly informer: Informer<KubeObject>
}

const resources = { ConfigMap: configMaps, Secret: secrets, ServiceAccount: serviceAccounts }

/** Beside the inputs of fields: where this loop keeps what it hands on itself, and what tells it how far the cluster is. */
const moreSources: readonly InputSource[] = [
  fixed.apiServerCA,
  fixed.kubeconfigData,
  registryCAs.merged,
  bootstrapMark,
].map(({ namespace, name }) => ({ kind: 'ConfigMap', namespace, name }))

/** Every object that is read, by name, or with its namespace where somebody else names it. Never a whole cluster's. */
export function allSources(): readonly InputSource[] {
  const all = [...Object.values(trustInputs).flatMap(({ from }) => from), ...moreSources]
  const distinct = new Map(all.map((source) => [textOf(source), source]))
  // What is in a namespace that is followed anyway need not be followed twice.
  return [...distinct.values()].filter(
    (source) => source.name === undefined || !distinct.has(textOf({ ...source, name: undefined })),
  )
}

export function trustCaches(
  options: FollowOptions,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): TrustCaches {
  const { client, clock, random, log, metrics } = options
  const follow = <T extends KubeObject>(resource: string, source: ListWatch<T>): Informer<T> => {
    const informer = new Informer<T>({ clock, random, log, metrics, resource, source })
    keep(informer)
    return informer
  }
  const byOperator = { ...byName(registryOperator), metadataOnly: true } as const
  const operators = new OptionalSource(client.listWatch(clusterOperators, byOperator), clock)
  return {
    controllerConfigs: follow(
      controllerConfigs.plural,
      client.listWatch(controllerConfigs, byName({ name: names.controllerConfig })),
    ),
    sources: allSources().map((source) => {
      const resource: Resource = resources[source.kind]
      const scope = { ...byName(source), metadataOnly: true } as const
      const what = [resource.plural, source.namespace, source.name].filter(Boolean).join(' ')
      return { source, resource, informer: follow(what, client.listWatch(resource, scope)) }
    }),
    registryOperators: follow('registry operator', operators),
    isRegistryOperatorLost: () => operators.isLost,
    cluster: followClusterObjects(options, keep),
  }
}

function byName({ namespace, name }: Partial<ObjectKey>): Scope {
  return {
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { fields: `metadata.name=${name}` }),
  }
}

const textOf = ({
  kind,
  namespace,
  name,
}: { [K in keyof InputSource]: InputSource[K] | undefined }): string =>
  `${kind} ${namespace} ${name ?? '*'}`
