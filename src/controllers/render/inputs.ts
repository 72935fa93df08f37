import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Change } from '@machinist/kube/informer/change'
import { conditionOf, poolConditions, poolHeld } from '../../api/conditions.ts'
import type {
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import type { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, machineConfigNodeIndexes, nodeIndexes } from './caches.ts'
import { selectedBy } from './gather.ts'
import { isPending } from './pool-conditions.ts'
import { isObsolete } from './prune.ts'
import { relevantTemplateFields } from './template-state.ts'

export interface RenderInputOptions {
  /** Batches changes per pool. */
  readonly window: BatchWindow
  readonly withheld?: WithheldTemplates | undefined
  /** Called with the name of a deleted MachineConfig. */
  readonly forget: (machineConfig: string) => void
}

/** Maps changes to the pools that they may affect. */
export function renderInputsOf(
  caches: RenderCaches,
  { window, withheld, forget }: RenderInputOptions,
): Input[] {
  const batched = (change: Change<KubeObject>, pools: readonly MachineConfigPool[]): string[] => {
    const names = pools.map(({ metadata }) => metadata.name)
    const isInitial = change.type === 'added' && change.initial
    if (!isInitial) for (const pool of names) window.open(pool)
    return names
  }
  const everyPool = (change: Change<KubeObject>): string[] => batched(change, caches.pools.list())
  return [
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) =>
        isRelevantChange(change, relevantPoolFields) ? [change.object.metadata.name] : [],
    }),
    input({
      resource: 'MachineConfig',
      informer: caches.machineConfigs,
      keys: (change) => {
        if (change.type === 'deleted') forget(change.object.metadata.name)
        const renderedFor = owningPool(change.object)
        if (renderedFor !== undefined) return [renderedFor]
        return batched(change, selectingPools(change, caches))
      },
    }),
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: (change) => (isRelevantChange(change, relevantTemplateFields) ? everyPool(change) : []),
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
      keys: (change) => (isRelevantChange(change, relevantOverrides) ? everyPool(change) : []),
    }),
    ...(withheld ? [withheldInput(withheld, caches)] : []),
    // Read before pruning, so the caches must be synced; a change enqueues a pool only if it frees an obsolete config.
    input({
      resource: 'Node',
      informer: caches.nodes,
      keys: (change) => poolsOfFreedConfigs(change, nodeIndexes[byConfigInUse]!, caches),
    }),
    input({
      resource: 'MachineConfigNode',
      informer: caches.machineConfigNodes,
      keys: (change) =>
        poolsOfFreedConfigs(change, machineConfigNodeIndexes[byConfigInUse]!, caches),
    }),
  ]
}

/** The template controller runs in the same process; its withheld templates are in no object. */
const withheldInput = (withheld: WithheldTemplates, { pools }: RenderCaches): Input => ({
  resource: 'MachineConfig',
  synced: () => Promise.resolve(true),
  subscribe: (enqueue) =>
    withheld.subscribe(() => {
      for (const { metadata } of pools.list()) enqueue(metadata.name, 0)
    }),
})

/** Without the progress of its nodes, which changes all the time during a rollout. */
const relevantPoolFields = (pool: Readonly<MachineConfigPool>): unknown => {
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

const relevantOverrides = ({ spec }: Readonly<MachineConfiguration>): unknown =>
  spec?.irreconcilableValidationOverrides

/** Pools that select the MachineConfig, or did before its labels changed. */
function selectingPools(
  change: Change<MachineConfig>,
  { pools }: RenderCaches,
): MachineConfigPool[] {
  const versions = change.type === 'updated' ? [change.object, change.before] : [change.object]
  return pools.list().filter((pool) => selectedBy(pool, versions).machineConfigs.length > 0)
}

/** Pools with an obsolete config that a node no longer uses. */
function poolsOfFreedConfigs<T extends KubeObject>(
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
    return left && isObsolete(left, caches) ? (owningPool(left) ?? []) : []
  })
}
