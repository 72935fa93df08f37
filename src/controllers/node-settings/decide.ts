import { labels } from '../../api/labels.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { generatedMachineConfig, isGenerated } from '../generated/machine-config.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { isMadeFor, settingsMark } from '../generated/settings-mark.ts'
import { ownerProblem } from '../generated/store.ts'
import type { Facts } from './facts.ts'
import type { Failure } from './failure.ts'
import { noPool, tooMany } from './failure.ts'
import { isOurName, machineConfigName, namesIn } from './names.ts'
import { Neighbours } from './neighbours.ts'
import type { Overridden } from './overridden.ts'
import { overriddenIn } from './overridden.ts'
import { selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind, SettingsProblem } from './settings-kind.ts'

/** What is to be done for one object. */
export interface Plan {
  /** The end of its MachineConfigs' names; undefined where it has none. */
  readonly suffix: number | undefined
  /** To be stored, one for each pool. */
  readonly wanted: readonly MachineConfig[]
  /** What was made before and has to go. */
  readonly stale: readonly Readonly<MachineConfig>[]
  /** The object's finalizers when all of this is done. */
  readonly finalizers: readonly string[]
  /** Finalizers of pools that keep what they have, where nothing is seen of it: they stay if it is there. */
  readonly unsure: readonly string[]
  readonly failures: readonly Failure[]
  readonly waits: readonly Wait[]
  readonly overridden: readonly Overridden[]
}

/** A pool in which all stays as it is, because something else has to be done first. */
export interface Wait {
  readonly pool: string
  readonly message: string
  /** Whether the pool has what the object says now; it is only to be made anew. */
  readonly isMade: boolean
}

/** What of a kind is needed to decide. */
export type DecidedKind<T extends NodeSettings, World> = Pick<
  SettingsKind<T, World>,
  'resource' | 'noun' | 'part' | 'deprecatedPart' | 'problems' | 'settle' | 'fields'
>

/** Each pool by itself: what is wrong in one never holds back another, and there what was made before stays. */
export function decide<T extends NodeSettings, World>(
  facts: Facts<T, World>,
  kind: DecidedKind<T, World>,
): Plan {
  const { object, pools } = facts
  const selection = selectionOf(object, pools)
  if ('problem' in selection) {
    const message = `spec.machineConfigPoolSelector: ${selection.problem}`
    return asBefore(facts, { reason: nodeSettingsReasons.badSelector, message })
  }
  const neighbours = new Neighbours(facts, kind)
  const suffix = neighbours.suffixOf(object)
  if (suffix === undefined) {
    const isSelecting = selection.pools.length > 0
    return withoutAny(facts, kind, isSelecting ? tooMany(kind.noun) : noPool(kind.resource, object))
  }
  const drafts = selection.pools.map((pool) => draftOf(pool, suffix, facts, kind, neighbours))
  const settled = drafts.flatMap(({ pool, result }) => ('wanted' in result ? pool : []))
  const orphans = settled.flatMap((pool) => orphansOf(pool, facts, kind, neighbours.taken(pool)))
  return planOf(drafts, suffix, orphans, facts, kind)
}

/** What one pool comes to. */
interface Draft {
  readonly pool: PoolSettings
  readonly result:
    { readonly wanted: MachineConfig } | { readonly wait: Wait } | { readonly failure: Failure }
  readonly overridden: readonly Overridden[]
}

function draftOf<T extends NodeSettings, World>(
  pool: PoolSettings,
  suffix: number,
  { object, stored, made, maker }: Facts<T, World>,
  kind: DecidedKind<T, World>,
  neighbours: Neighbours<T, World>,
): Draft {
  const failed = ({ reason, message }: SettingsProblem): Draft => ({
    pool,
    result: { failure: { pool: pool.name, reason, message } },
    overridden: [],
  })
  const chain = neighbours.chain(pool)
  if ('waits' in chain) {
    const isMade = made.some((one) => isMadeFor(pool.name, object, one))
    const wait = { pool: pool.name, message: `waits for ${chain.waits}`, isMade }
    return { pool, result: { wait }, overridden: [] }
  }
  if ('problem' in chain) return failed(chain.problem)
  const settlement = chain.settlements.get(object.metadata.name)!
  if ('problem' in settlement) return failed(settlement.problem)
  const name = machineConfigName(pool.name, suffix, kind)
  const owner = ownerReference(kind.resource, object)
  const wanted = generatedMachineConfig(
    { name, role: pool.name, spec: settlement.spec, owner, marks: settingsMark(object) },
    maker,
  )
  const there = stored(name)
  const theirs = there && ownerProblem(there, wanted)
  if (theirs) return failed({ reason: nodeSettingsReasons.notOurs, message: theirs.message })
  return { pool, result: { wanted }, overridden: overriddenIn(pool.name, object, chain.good, kind) }
}

function planOf<T extends NodeSettings, World>(
  drafts: readonly Draft[],
  suffix: number,
  orphans: readonly Readonly<MachineConfig>[],
  facts: Facts<T, World>,
  kind: DecidedKind<T, World>,
): Plan {
  const results = drafts.map(({ result }) => result)
  const wanted = results.flatMap((result) => ('wanted' in result ? result.wanted : []))
  const names = wanted.map(({ metadata }) => metadata.name)
  const unsettled = new Set(
    drafts.flatMap(({ pool, result }) => ('wanted' in result ? [] : pool.name)),
  )
  const isKept = ({ metadata }: Readonly<MachineConfig>): boolean =>
    unsettled.has(metadata.labels?.[labels.role] ?? '')
  const others = facts.made.filter(({ metadata }) => !names.includes(metadata.name))
  const kept = others.filter(isKept).map(({ metadata }) => metadata.name)
  const known = [...names, ...kept]
  const maybe = new Set(
    drafts.flatMap(({ pool }) => (unsettled.has(pool.name) ? namesIn(pool, kind) : [])),
  )
  const { finalizers: held = [] } = facts.object.metadata
  return {
    suffix,
    wanted,
    stale: [...others.filter((one) => !isKept(one)), ...orphans],
    finalizers: finalizersAfter(facts, kind, known),
    unsure: held.filter((name) => maybe.has(name) && !known.includes(name)),
    failures: results.flatMap((result) => ('failure' in result ? result.failure : [])),
    waits: results.flatMap((result) => ('wait' in result ? result.wait : [])),
    overridden: drafts.flatMap(({ overridden }) => overridden),
  }
}

/** What controllers of before left under names of ours, and nobody owns: it would hold for ever. */
function orphansOf<T extends NodeSettings, World>(
  pool: PoolSettings,
  { stored }: Facts<T, World>,
  kind: DecidedKind<T, World>,
  taken: ReadonlySet<number>,
): Readonly<MachineConfig>[] {
  const inUse = new Set([...taken].map((suffix) => machineConfigName(pool.name, suffix, kind)))
  return namesIn(pool, kind)
    .filter((name) => !inUse.has(name))
    .flatMap((name) => stored(name) ?? [])
    .filter((one) => isGenerated(one) && (one.metadata.ownerReferences ?? []).length === 0)
}

/** Those of others stay where they are, and so do those of ours that are still needed. */
function finalizersAfter<T extends NodeSettings, World>(
  { object }: Facts<T, World>,
  kind: DecidedKind<T, World>,
  names: readonly string[],
): string[] {
  const held = object.metadata.finalizers ?? []
  const staying = held.filter((one) => !isOurName(one, kind) || names.includes(one))
  return [...new Set([...staying, ...names])]
}

/** Nobody knows what was meant, so nothing is touched. */
function asBefore<T extends NodeSettings, World>(
  { object }: Facts<T, World>,
  failure: Failure,
): Plan {
  const finalizers = object.metadata.finalizers ?? []
  return { ...nothing, finalizers, failures: [failure] }
}

/** Nothing is made from it; what was made before goes. */
function withoutAny<T extends NodeSettings, World>(
  facts: Facts<T, World>,
  kind: DecidedKind<T, World>,
  failure: Failure,
): Plan {
  const finalizers = finalizersAfter(facts, kind, [])
  return { ...nothing, stale: facts.made, finalizers, failures: [failure] }
}

const nothing = { suffix: undefined, wanted: [], stale: [], unsure: [], waits: [], overridden: [] }
