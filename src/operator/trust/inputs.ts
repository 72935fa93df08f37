import type { Clock } from '@machinist/core/clock'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { ClusterObjects } from '../inputs/cluster-objects.ts'
import { clusterObjectInputs } from '../inputs/cluster-objects.ts'
import { independentInput } from '../inputs/independent-input.ts'
import type { InputSource } from './field-inputs.ts'

export interface TrustCaches {
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly sources: readonly FollowedSource[]
  /** Empty outside OpenShift. */
  readonly registryOperators: Informer<KubeObject>
  /** Whether their kind was served before and is not any more. */
  readonly isRegistryOperatorLost: () => boolean
  readonly cluster: ClusterObjects
}

/** The metadata of some objects: it shows when to read an object, and saves memory. */
export interface FollowedSource {
  readonly source: InputSource
  readonly resource: Resource
  readonly informer: Informer<KubeObject>
}

/** The only key is the name of the ControllerConfig. */
export function trustInputs(caches: TrustCaches, clock: Clock): Input[] {
  const key = names.controllerConfig
  const keys = (): string[] => [key]
  return [
    input({ resource: controllerConfigs.kind, informer: caches.controllerConfigs }),
    ...caches.sources.map(({ resource, informer }) =>
      independentInput({ resource: resource.kind, informer, keys, clock }),
    ),
    independentInput({
      resource: 'ClusterOperator',
      informer: caches.registryOperators,
      keys,
      clock,
    }),
    ...clusterObjectInputs(caches.cluster, ['image', 'proxy', 'infrastructure', 'dns'], key, clock),
  ]
}
