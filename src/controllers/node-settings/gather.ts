import { InvalidInput } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { pools as builtIn } from '../../api/names.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { configsByName, configsOwnedBy } from '../generated/caches.ts'
import type { NodeSettingsFacts, PoolContext } from './facts.ts'
import type { NodeSettingsCaches } from './inputs.ts'
import { annotatedSuffix, namesIn } from './names.ts'
import { PoolObjects } from './pool-objects.ts'
import { inheritsFromWorkers, poolSettings, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'
import { baseOf } from './templates.ts'

export interface NodeSettingsSources<T extends NodeSettings, Context> extends GeneratorSettings {
  readonly kind: SettingsKind<T, Context>
  readonly caches: NodeSettingsCaches
}

/** Undefined if the object does not exist, or its deletion is not in the cache yet. */
export async function gather<T extends NodeSettings, Context>(
  name: string,
  sources: NodeSettingsSources<T, Context>,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<NodeSettingsFacts<T, Context> | undefined> {
  const { resource, objects } = sources.kind
  const object = objects.get(name)
  if (!object) return undefined
  if (object.metadata.deletionTimestamp || hasSuffix(object, sources)) {
    return factsOf(object, objects.list(), sources)
  }
  // Suffixes are assigned based on a fresh list: the cache may not have the latest ones yet.
  const all = await Array.fromAsync(client.listAll(resource, { signal }))
  const newest = all.find(({ metadata }) => metadata.uid === object.metadata.uid)
  if (!newest || newest.metadata.deletionTimestamp) return undefined
  return factsOf(newest, all, sources)
}

/** Whether the object has the suffix that is assigned to it, or gets none. */
function hasSuffix<T extends NodeSettings, Context>(
  object: Readonly<T>,
  { kind, caches }: NodeSettingsSources<T, Context>,
): boolean {
  const pools = caches.pools.list().map(poolSettings)
  const suffix = new PoolObjects({ objects: kind.objects.list(), pools }, kind).suffixOf(object)
  return suffix === undefined || suffix === annotatedSuffix(object)
}

function factsOf<T extends NodeSettings, Context>(
  object: Readonly<T>,
  objects: readonly Readonly<T>[],
  sources: NodeSettingsSources<T, Context>,
): NodeSettingsFacts<T, Context> {
  const { kind, caches, maker } = sources
  const pools = caches.pools.list().map(poolSettings)
  const selection = selectionOf(object, pools)
  const isDeleted = object.metadata.deletionTimestamp !== undefined
  const selected = 'pools' in selection && !isDeleted ? selection.pools : []
  const workers = pools.filter(({ name }) => name === builtIn.worker)
  const needed = [...selected, ...(selected.some(inheritsFromWorkers) ? workers : [])]
  const names = selected.flatMap((pool) => namesIn(pool, kind))
  return {
    object,
    objects,
    pools,
    contexts: new Map(needed.map((pool) => [pool.name, poolContext(pool, sources)])),
    stored: configsByName(names.flatMap((name) => caches.machineConfigs.get(name) ?? [])),
    made: configsOwnedBy(object, caches.machineConfigs),
    maker,
  }
}

function poolContext<T extends NodeSettings, Context>(
  pool: PoolSettings,
  { kind, ...sources }: NodeSettingsSources<T, Context>,
): PoolContext<Context> {
  const found = baseOf(pool, kind.base(pool.role), sources)
  if ('waitsFor' in found) return found
  try {
    return { context: kind.context(pool, found.base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { problem: { reason: nodeSettingsReasons.noBase, message: error.message } }
  }
}
