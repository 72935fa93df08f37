import { annotations } from '../../api/annotations.ts'
import { controllerConfigConditions, roleOfTemplatesFailing } from '../../api/conditions.ts'
import { names, pools as builtIn } from '../../api/names.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput } from '../../base/errors.ts'
import { byOwner } from '../generated/caches.ts'
import type { Maker } from '../generated/maker.ts'
import type { Cache } from '../render/caches.ts'
import { owningControllerConfig } from '../render/rendered-object.ts'
import { unseenTemplate } from '../render/stored-templates.ts'
import { templateState } from '../render/template-state.ts'
import type { Facts, Ground } from './facts.ts'
import { inheritsFromWorkers, poolSettings, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'

/** What it follows, beside the objects; the informers may be shared with others. */
export interface NodeSettingsCaches {
  readonly pools: Cache<MachineConfigPool>
  /** With `machineConfigIndexes` of generated/caches.ts. */
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
}

export interface GatherOptions {
  readonly caches: NodeSettingsCaches
  readonly maker: Maker
}

/** Everything about an object, from the caches alone; `objects` are all of its kind. */
export function gather<T extends NodeSettings, World>(
  object: Readonly<T>,
  objects: readonly Readonly<T>[],
  kind: SettingsKind<T, World>,
  { caches, maker }: GatherOptions,
): Facts<T, World> {
  const pools = caches.pools.list().map(poolSettings)
  const selection = selectionOf(object, pools)
  const selected = 'pools' in selection ? selection.pools : []
  const workers = pools.filter(({ name }) => name === builtIn.worker)
  const needed = [...selected, ...(selected.some(inheritsFromWorkers) ? workers : [])]
  return {
    object,
    objects,
    pools,
    grounds: new Map(needed.map((pool) => [pool.name, groundOf(pool, kind, { caches, maker })])),
    stored: (name) => caches.machineConfigs.get(name),
    made: madeFrom(object, caches),
    maker,
  }
}

/** What was made from an object before. */
export function madeFrom(
  { metadata }: Readonly<NodeSettings>,
  { machineConfigs }: NodeSettingsCaches,
): Readonly<MachineConfig>[] {
  return metadata.uid === undefined ? [] : machineConfigs.byIndex(byOwner, metadata.uid)
}

function groundOf<T extends NodeSettings, World>(
  pool: PoolSettings,
  kind: SettingsKind<T, World>,
  options: GatherOptions,
): Ground<World> {
  const waits = templatesWaitFor(pool, options)
  if (waits !== undefined) return { waits }
  const name = kind.base(pool.role)
  const base = options.caches.machineConfigs.get(name)
  if (!base) return { waits: `MachineConfig ${name}, which the templates of ${pool.role} make` }
  try {
    return { world: kind.world(pool, base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { problem: { reason: nodeSettingsReasons.noBase, message: error.message } }
  }
}

/** What has to be done first, so that nobody builds on templates of yesterday. */
export function templatesWaitFor(
  { pool, role }: PoolSettings,
  { caches, maker }: GatherOptions,
): string | undefined {
  const what = `ControllerConfig ${names.controllerConfig}`
  const config = caches.controllerConfigs.get(names.controllerConfig)
  if (!config) return what
  const version = config.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  if (version !== maker.version) return `${what} of version ${maker.version}`
  if (!templateState(config, pool).isDone) return `the templates of ${role}`
  const fromTemplates = caches.machineConfigs
    .list()
    .filter((one) => owningControllerConfig(one) === names.controllerConfig)
  const unseen = unseenTemplate(config, pool, fromTemplates)
  return unseen === undefined ? undefined : `MachineConfig ${unseen}`
}

/** All of a ControllerConfig that counts for this. Others tell there how far nodes are, which changes all the time. */
export function saidOfTemplates({ metadata, status }: Readonly<ControllerConfig>): unknown {
  const { generation, annotations: marks } = metadata
  const conditions = status?.conditions?.filter(({ type }) => isOfTemplates(type))
  return [generation, marks, status?.observedGeneration, conditions]
}

const templateConditions: ReadonlySet<string> = new Set(Object.values(controllerConfigConditions))

const isOfTemplates = (type: string): boolean =>
  templateConditions.has(type) || roleOfTemplatesFailing(type) !== undefined
