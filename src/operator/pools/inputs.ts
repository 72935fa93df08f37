import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import { patientInput } from '../inputs/patient-input.ts'
import type { PoolsInformers } from './caches.ts'
import { builtInPools } from './default-pools.ts'

/** Keys are names of pools. */
export function inputsOf(informers: PoolsInformers, clock: Clock): Input[] {
  const everyPool = (): string[] => [
    ...new Set([...builtInPools, ...informers.pools.list().map(({ metadata }) => metadata.name)]),
  ]
  return [
    withBuiltIns(input({ resource: 'MachineConfigPool', informer: informers.pools })),
    input({
      resource: 'ControllerConfig',
      informer: informers.controllerConfigs,
      keys: (change) => (isNews(change) ? everyPool() : []),
    }),
    // Pools are needed whatever is known of new machines.
    patientInput({ resource: 'Secret', informer: informers.userData, keys: everyPool, clock }),
    patientInput({ resource: 'Namespace', informer: informers.machineAPI, keys: everyPool, clock }),
  ]
}

/** Nobody tells of a pool that never was. */
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

/** Most changes of a ControllerConfig are about something else. */
function isNews(change: Change<ControllerConfig>): boolean {
  if (change.object.metadata.name !== names.controllerConfig) return false
  return change.type !== 'updated' || !sameJson(read(change.before), read(change.object))
}

const read = ({ spec }: Readonly<ControllerConfig>): unknown => [
  spec.rootCAData,
  spec.infra?.status,
]
