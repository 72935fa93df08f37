import { labels } from '../../api/labels.ts'
import { otherMakerOf } from '../../api/maker.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { generatedMachineConfig, isGenerated } from '../generated/machine-config.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { isCurrentFor, settingsGenerationAnnotation } from '../generated/settings-generation.ts'
import { ownerProblem } from '../generated/store.ts'
import type { NodeSettingsFacts } from './facts.ts'
import type { SettingsFailure } from './failure.ts'
import { noPool, tooMany } from './failure.ts'
import { isGeneratedName, machineConfigName, namesIn } from './names.ts'
import { PoolObjects } from './pool-objects.ts'
import type { Overridden } from './overridden.ts'
import { overriddenIn } from './overridden.ts'
import { selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind, SettingsProblem } from './settings-kind.ts'

/** The actions for one object. */
export interface NodeSettingsPlan {
  /** The suffix of the names of its MachineConfigs; undefined if it has none. */
  readonly suffix: number | undefined
  /** The MachineConfigs to store, one for each pool. */
  readonly desired: readonly MachineConfig[]
  /** The MachineConfigs to delete. */
  readonly stale: readonly Readonly<MachineConfig>[]
  /** The finalizers of the object after the plan is applied. */
  readonly finalizers: readonly string[]
  /** Finalizers of unchanged pools whose MachineConfig is not in the cache: they stay if it exists. */
  readonly uncertain: readonly string[]
  readonly failures: readonly SettingsFailure[]
  readonly waits: readonly PoolWait[]
  readonly overridden: readonly Overridden[]
}

/** A pool that stays unchanged until another component has done its part. */
export interface PoolWait {
  readonly pool: string
  readonly message: string
  /** Whether the MachineConfig of the pool is from the current generation of the object. */
  readonly isUpToDate: boolean
}

/** The part of a kind that the decision needs. */
export type DecisionKind<T extends NodeSettings, Context> = Pick<
  SettingsKind<T, Context>,
  'resource' | 'noun' | 'part' | 'deprecatedPart' | 'problems' | 'merge' | 'fields'
>

/** Decides each pool independently: a problem in one pool keeps its MachineConfig and does not block others. */
export function decide<T extends NodeSettings, Context>(
  facts: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
): NodeSettingsPlan {
  const { object, pools } = facts
  if (object.metadata.deletionTimestamp) return removeDeleted(facts, kind)
  const selection = selectionOf(object, pools)
  if ('problem' in selection) {
    const message = `spec.machineConfigPoolSelector: ${selection.problem}`
    return keepUnchanged(facts, { reason: nodeSettingsReasons.badSelector, message })
  }
  const poolObjects = new PoolObjects(facts, kind)
  const suffix = poolObjects.suffixOf(object)
  if (suffix === undefined) {
    const isSelecting = selection.pools.length > 0
    return removeEverything(
      facts,
      kind,
      isSelecting ? tooMany(kind.noun) : noPool(kind.resource, object),
    )
  }
  const drafts = selection.pools.map((pool) => draftOf(pool, suffix, facts, kind, poolObjects))
  const decided = drafts.flatMap(({ pool, result }) => ('desired' in result ? pool : []))
  const orphans = decided.flatMap((pool) => orphansOf(pool, facts, kind, poolObjects.taken(pool)))
  return planOf(drafts, suffix, orphans, facts, kind)
}

/** The decision for one pool. */
interface PoolDraft {
  readonly pool: PoolSettings
  readonly result:
    | { readonly desired: MachineConfig }
    | { readonly wait: PoolWait }
    | { readonly failure: SettingsFailure }
  readonly overridden: readonly Overridden[]
}

function draftOf<T extends NodeSettings, Context>(
  pool: PoolSettings,
  suffix: number,
  { object, contexts, stored, made, maker }: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
  poolObjects: PoolObjects<T, Context>,
): PoolDraft {
  const failed = ({ reason, message }: SettingsProblem): PoolDraft => ({
    pool,
    result: { failure: { pool: pool.name, reason, message } },
    overridden: [],
  })
  const merge = poolObjects.merge(pool, contexts)
  if ('waitsFor' in merge) {
    const isUpToDate = made.some((one) => isCurrentFor(pool.name, object, one))
    const wait = { pool: pool.name, message: `waits for ${merge.waitsFor}`, isUpToDate }
    return { pool, result: { wait }, overridden: [] }
  }
  if ('problem' in merge) return failed(merge.problem)
  const merged = merge.results.get(object.metadata.name)!
  if ('problem' in merged) return failed(merged.problem)
  const name = machineConfigName(pool.name, suffix, kind)
  const owner = ownerReference(kind.resource, object)
  const desired = generatedMachineConfig(
    {
      name,
      role: pool.name,
      spec: merged.spec,
      owner,
      marks: settingsGenerationAnnotation(object),
    },
    maker,
  )
  const existing = stored.get(name)
  const conflict = existing && ownerProblem(existing, desired)
  if (conflict) return failed({ reason: nodeSettingsReasons.notOurs, message: conflict.message })
  const overridden = overriddenIn(pool.name, object, merge.valid, kind)
  return { pool, result: { desired }, overridden }
}

function planOf<T extends NodeSettings, Context>(
  drafts: readonly PoolDraft[],
  suffix: number,
  orphans: readonly Readonly<MachineConfig>[],
  facts: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
): NodeSettingsPlan {
  const results = drafts.map(({ result }) => result)
  const desired = results.flatMap((result) => ('desired' in result ? result.desired : []))
  const names = desired.map(({ metadata }) => metadata.name)
  const undecided = new Set(
    drafts.flatMap(({ pool, result }) => ('desired' in result ? [] : pool.name)),
  )
  const isKept = ({ metadata }: Readonly<MachineConfig>): boolean =>
    undecided.has(metadata.labels?.[labels.role] ?? '')
  const others = facts.made.filter(({ metadata }) => !names.includes(metadata.name))
  const kept = others.filter(isKept).map(({ metadata }) => metadata.name)
  const known = [...names, ...kept]
  const maybe = new Set(
    drafts.flatMap(({ pool }) => (undecided.has(pool.name) ? namesIn(pool, kind) : [])),
  )
  const { finalizers: held = [] } = facts.object.metadata
  return {
    suffix,
    desired,
    stale: [...others.filter((one) => !isKept(one)), ...orphans],
    finalizers: finalizersAfter(facts, kind, known),
    uncertain: held.filter((name) => maybe.has(name) && !known.includes(name)),
    failures: results.flatMap((result) => ('failure' in result ? result.failure : [])),
    waits: results.flatMap((result) => ('wait' in result ? result.wait : [])),
    overridden: drafts.flatMap(({ overridden }) => overridden),
  }
}

/** Generated MachineConfigs of older releases that have no owner: without this, they would stay in effect forever. */
function orphansOf<T extends NodeSettings, Context>(
  pool: PoolSettings,
  { stored }: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
  taken: ReadonlySet<number>,
): Readonly<MachineConfig>[] {
  const inUse = new Set([...taken].map((suffix) => machineConfigName(pool.name, suffix, kind)))
  return namesIn(pool, kind)
    .filter((name) => !inUse.has(name))
    .flatMap((name) => stored.get(name) ?? [])
    .filter((one) => isGenerated(one) && (one.metadata.ownerReferences ?? []).length === 0)
}

/** Keeps the finalizers of other controllers, and those of MachineConfigs that are still needed. */
function finalizersAfter<T extends NodeSettings, Context>(
  { object }: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
  names: readonly string[],
): string[] {
  const held = object.metadata.finalizers ?? []
  const staying = held.filter((one) => !isGeneratedName(one, kind) || names.includes(one))
  return [...new Set([...staying, ...names])]
}

/** Nothing changes, because the selection of pools is unknown. */
function keepUnchanged<T extends NodeSettings, Context>(
  { object }: NodeSettingsFacts<T, Context>,
  failure: SettingsFailure,
): NodeSettingsPlan {
  const finalizers = object.metadata.finalizers ?? []
  return { ...emptyPlan, finalizers, failures: [failure] }
}

/** The object gets no MachineConfigs, and its existing ones are deleted. */
function removeEverything<T extends NodeSettings, Context>(
  facts: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
  failure: SettingsFailure,
): NodeSettingsPlan {
  const finalizers = finalizersAfter(facts, kind, [])
  return { ...emptyPlan, stale: facts.made, finalizers, failures: [failure] }
}

/**
 * The MachineConfigs of an object that is being deleted are deleted. Those that another controller generated keep their
 * finalizer: that controller removes both.
 */
function removeDeleted<T extends NodeSettings, Context>(
  facts: NodeSettingsFacts<T, Context>,
  kind: DecisionKind<T, Context>,
): NodeSettingsPlan {
  const { finalizers: held = [] } = facts.object.metadata
  const theirs = facts.made
    .filter((one) => otherMakerOf(one) !== undefined)
    .map(({ metadata }) => metadata.name)
    .filter((name) => held.includes(name))
  return { ...emptyPlan, stale: facts.made, finalizers: finalizersAfter(facts, kind, theirs) }
}

const emptyPlan = {
  suffix: undefined,
  desired: [],
  stale: [],
  uncertain: [],
  failures: [],
  waits: [],
  overridden: [],
}
