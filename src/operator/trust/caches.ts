import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import {
  bootstrapMark,
  configMaps as fixed,
  names,
  registryCAs,
  registryOperator,
} from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { followClusterObjects } from '../inputs/cluster-objects.ts'
import type { InputSource } from './field-inputs.ts'
import { fieldInputs } from './field-inputs.ts'
import type { TrustCaches } from './inputs.ts'

const resources = { ConfigMap: configMaps, Secret: secrets, ServiceAccount: serviceAccounts }

/** Sources besides those of fields: the ConfigMaps that this controller writes, and the state of the installation. */
const moreSources: readonly InputSource[] = [
  fixed.apiServerCA,
  fixed.kubeconfigData,
  registryCAs.merged,
  bootstrapMark,
].map(({ namespace, name }) => ({ kind: 'ConfigMap', namespace, name }))

/** Every source: single objects by name, or a namespace for objects that other objects reference. Never a whole cluster. */
export function allSources(): readonly InputSource[] {
  const all = [...Object.values(fieldInputs).flatMap(({ from }) => from), ...moreSources]
  const distinct = new Map(all.map((source) => [textOf(source), source]))
  // Objects in a followed namespace need no informer of their own.
  return [...distinct.values()].filter(
    (source) => source.name === undefined || !distinct.has(textOf({ ...source, name: undefined })),
  )
}

/** Creates informers of this controller alone, so that nothing else can block it, and passes each to `keep`, which starts it. */
export function trustCaches(
  context: ControllerContext,
  keep: (informer: Startable) => void,
): TrustCaches {
  const { client, clock, random, log, metrics } = context
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
    cluster: followClusterObjects(context, keep),
  }
}

function byName({ namespace, name }: Partial<ObjectKey>): ListWatchScope {
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
