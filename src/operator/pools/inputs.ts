import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { sameJson } from '../../base/json.ts'
import type { Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import type { Change } from '../../kube/informer/change.ts'
import type { Secret } from '../../kube/kinds/core.ts'
import type { PoolsInformers } from './caches.ts'
import { builtInPools } from './default-pools.ts'
import { poolOfUserData } from './user-data.ts'

/** Keys are names of pools. */
export function inputsOf(informers: PoolsInformers): Input[] {
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
    input({ resource: 'Secret', informer: informers.userData, keys: poolsOf }),
    input({ resource: 'Namespace', informer: informers.machineAPI, keys: everyPool }),
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

/** Also one that lost its owner is somebody's. */
function poolsOf({ object }: Change<Secret>): string[] {
  const { name, ownerReferences = [] } = object.metadata
  const owners = ownerReferences.filter(({ kind }) => kind === machineConfigPools.kind)
  const pool = poolOfUserData(name)
  return [...owners.map((owner) => owner.name), ...(pool === undefined ? [] : [pool])]
}
