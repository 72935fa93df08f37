import { conditionOf, poolConditions, poolHeld } from '../../api/conditions.ts'
import type { MachineConfig, MachineConfigPool, MachineConfiguration } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Change } from '@machinist/kube/informer/change'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, machineConfigNodeIndexes, nodeIndexes } from './caches.ts'
import { selectedBy } from './gather.ts'
import { isPending } from './pool-condition.ts'
import { isLeaving } from './prune.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { saidOfTemplates } from './template-state.ts'

export interface InputOptions {
  readonly caches: RenderCaches
  /** Where changes are collected. */
  readonly window: BatchWindow
  readonly withheld?: WithheldTemplates | undefined
  /** Called with the name of a MachineConfig that is gone. */
  readonly forget: (machineConfig: string) => void
}

/** Which pools a change may give another configuration. */
export function inputsOf({ caches, window, withheld, forget }: InputOptions): Input[] {
  const collected = (change: Change<KubeObject>, pools: readonly MachineConfigPool[]): string[] => {
    const names = pools.map(({ metadata }) => metadata.name)
    const isInitial = change.type === 'added' && change.initial
    if (!isInitial) for (const pool of names) window.open(pool)
    return names
  }
  const everyPool = (change: Change<KubeObject>): string[] => collected(change, caches.pools.list())
  return [
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) => (isNews(change, saidOfPool) ? [change.object.metadata.name] : []),
    }),
    input({
      resource: 'MachineConfig',
      informer: caches.machineConfigs,
      keys: (change) => {
        if (change.type === 'deleted') forget(change.object.metadata.name)
        const renderedFor = owningPool(change.object)
        if (renderedFor !== undefined) return [renderedFor]
        return collected(change, selecting(change, caches))
      },
    }),
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: (change) => (isNews(change, saidOfTemplates) ? everyPool(change) : []),
    }),
    input({ resource: 'KubeletConfig', informer: caches.kubeletConfigs, keys: everyPool }),
    input({
      resource: 'ContainerRuntimeConfig',
      informer: caches.containerRuntimeConfigs,
      keys: everyPool,
    }),
    input({
      resource: 'MachineConfiguration',
      informer: caches.machineConfigurations,
      keys: (change) => (isNews(change, saidOfOverrides) ? everyPool(change) : []),
    }),
    ...(withheld ? [withheldInput(withheld, caches)] : []),
    // Read before anything is pruned, so they have to be known; they make work only by leaving what is to go.
    input({
      resource: 'Node',
      informer: caches.nodes,
      keys: (change) => freed(change, nodeIndexes[byConfigInUse]!, caches),
    }),
    input({
      resource: 'MachineConfigNode',
      informer: caches.machineConfigNodes,
      keys: (change) => freed(change, machineConfigNodeIndexes[byConfigInUse]!, caches),
    }),
  ]
}

/** The template controller works beside us, and tells no object what it withholds. */
const withheldInput = (withheld: WithheldTemplates, { pools }: RenderCaches): Input => ({
  resource: 'MachineConfig',
  synced: () => Promise.resolve(true),
  subscribe: (enqueue) =>
    withheld.subscribe(() => {
      for (const { metadata } of pools.list()) enqueue(metadata.name, 0)
    }),
})

/** Not how far its nodes are, which changes all the time during a rollout; but what is written here. */
const saidOfPool = (pool: Readonly<MachineConfigPool>): unknown => {
  const { metadata, spec, status } = pool
  return [
    metadata.uid,
    metadata.labels,
    metadata.deletionTimestamp,
    spec,
    status?.configuration,
    conditionOf(status?.conditions, poolConditions.renderDegraded),
    conditionOf(status?.conditions, poolHeld),
    isPending(pool),
  ]
}

const saidOfOverrides = ({ spec }: Readonly<MachineConfiguration>): unknown =>
  spec?.irreconcilableValidationOverrides

/** Pools that select it, or did before its labels changed. */
function selecting(change: Change<MachineConfig>, { pools }: RenderCaches): MachineConfigPool[] {
  const versions = change.type === 'updated' ? [change.object, change.before] : [change.object]
  return pools.list().filter((pool) => selectedBy(pool, versions).machineConfigs.length > 0)
}

/** Pools whose configs are only kept for nodes, where one of these nodes has left one. */
function freed<T extends KubeObject>(
  change: Change<T>,
  uses: (object: Readonly<T>) => readonly string[],
  caches: RenderCaches,
): string[] {
  if (change.type === 'added') return []
  const [before, after] =
    change.type === 'deleted'
      ? [uses(change.object), []]
      : [uses(change.before), uses(change.object)]
  return before.flatMap((name) => {
    const left = after.includes(name) ? undefined : caches.machineConfigs.get(name)
    return left && isLeaving(left, caches) ? (owningPool(left) ?? []) : []
  })
}
