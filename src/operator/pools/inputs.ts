import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import { independentInput } from '../inputs/independent-input.ts'
import type { PoolsCaches } from './caches.ts'
import { builtInPools } from './default-pools.ts'

/** The keys are names of pools. */
export function inputsOf(informers: PoolsCaches, clock: Clock): Input[] {
  const everyPool = (): string[] => [
    ...new Set([...builtInPools, ...informers.pools.list().map(({ metadata }) => metadata.name)]),
  ]
  return [
    withBuiltIns(input({ resource: 'MachineConfigPool', informer: informers.pools })),
    input({
      resource: 'ControllerConfig',
      informer: informers.controllerConfigs,
      keys: (change) => (isRelevant(change) ? everyPool() : []),
    }),
    // Pools must be created even if user data is unavailable.
    independentInput({ resource: 'Secret', informer: informers.userData, keys: everyPool, clock }),
    independentInput({
      resource: 'Namespace',
      informer: informers.machineAPI,
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
