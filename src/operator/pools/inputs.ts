import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Namespace, Secret } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { independentInput } from '../inputs/independent-input.ts'
import { builtInPools } from './default-pools.ts'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** The caches of this controller; other controllers may share the first two. */
export interface PoolsCaches {
  readonly pools: Cache<MachineConfigPool>
  readonly controllerConfigs: Cache<ControllerConfig>
  /** Secrets of `userDataSource`. */
  readonly userData: Cache<Secret>
  /** Secrets of the namespace machinist-provisioning: tokens, and user data of clusters without the Machine API. */
  readonly provisioning: Cache<Secret>
  /** Namespaces in `machineAPIScope`. */
  readonly machineAPI: Cache<Namespace>
}

/** The keys are names of pools. */
export function poolsInputs(caches: PoolsCaches, clock: Clock): Input[] {
  const everyPool = (): string[] => [
    ...new Set([...builtInPools, ...caches.pools.list().map(({ metadata }) => metadata.name)]),
  ]
  return [
    withBuiltIns(input({ resource: 'MachineConfigPool', informer: caches.pools })),
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: (change) => (isRelevant(change) ? everyPool() : []),
    }),
    // Pools must be created even if user data is unavailable.
    independentInput({ resource: 'Secret', informer: caches.userData, keys: everyPool, clock }),
    independentInput({ resource: 'Secret', informer: caches.provisioning, keys: everyPool, clock }),
    independentInput({
      resource: 'Namespace',
      informer: caches.machineAPI,
      keys: everyPool,
      clock,
    }),
  ]
}

/** Enqueues the built-in pools at the start: a pool that does not exist causes no event. */
function withBuiltIns(pools: Input): Input {
  return {
    ...pools,
    subscribe: (enqueue) => {
      const leave = pools.subscribe(enqueue)
      for (const name of builtInPools) enqueue(name, 0)
      return leave
    },
  }
}

/** Most changes of a ControllerConfig are not relevant here. */
function isRelevant(change: Change<ControllerConfig>): boolean {
  if (change.object.metadata.name !== names.controllerConfig) return false
  return (
    change.type !== 'updated' ||
    !sameJson(relevantFields(change.before), relevantFields(change.object))
  )
}

const relevantFields = ({ spec }: Readonly<ControllerConfig>): unknown => [
  spec.rootCAData,
  spec.infra?.status,
]
