import { contentDigest } from '@machinist/core/encoding/digest'
import { plain } from '@machinist/core/quoted'
import { annotations } from '../../api/annotations.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { labels } from '../../api/labels.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { selectedBy } from '../render/gather.ts'
import type { UnselectedConfig, UnselectedConfigsFacts } from './facts.ts'

/** `unselected` is remembered for the next reconcile. */
export type UnselectedConfigsPlan =
  /** A pool selects it, or it needs none. */
  | { readonly type: 'selected' }
  /** A pool may still follow. */
  | { readonly type: 'wait'; readonly unselected: UnselectedConfig; readonly ms: number }
  | { readonly type: 'emit'; readonly unselected: UnselectedConfig; readonly why: string }
  /** These contents have their event. */
  | { readonly type: 'reported'; readonly unselected: UnselectedConfig }

/** Objects that are applied together may arrive in any order: a pool may follow its MachineConfigs. */
const delayMs = 5000

/** Pure: one event for the contents of a MachineConfig that stays unselected. */
export function decide(facts: UnselectedConfigsFacts): UnselectedConfigsPlan {
  const { machineConfig, pools, before, elapsedMs } = facts
  const why = unselectedReason(machineConfig, pools)
  if (why === undefined) return { type: 'selected' }
  const { metadata, spec } = machineConfig
  const digest = contentDigest([metadata.uid, metadata.labels, spec])
  const unselected =
    before?.digest === digest ? before : { digest, sinceMs: elapsedMs, isReported: false }
  if (unselected.isReported) return { type: 'reported', unselected }
  const ms = unselected.sinceMs + delayMs - elapsedMs
  if (ms > 0) return { type: 'wait', unselected, ms }
  return { type: 'emit', unselected: { ...unselected, isReported: true }, why }
}

/** Why a MachineConfig of a user has no effect; undefined if a pool selects it. Generated MachineConfigs do not count. */
export function unselectedReason(
  machineConfig: Readonly<MachineConfig>,
  pools: readonly Readonly<MachineConfigPool>[],
): string | undefined {
  const { metadata } = machineConfig
  const isGenerated = metadata.annotations?.[annotations.generatedByController] !== undefined
  if (isGenerated || metadata.deletionTimestamp || owningPool(machineConfig)) return undefined
  if (pools.some((pool) => selectedBy(pool, [machineConfig]).machineConfigs.length > 0)) {
    return undefined
  }
  const role = metadata.labels?.[labels.role]
  const found =
    role === undefined
      ? `it has no label ${labels.role}`
      : `its label ${labels.role} is ${plain(role)}`
  const names =
    pools
      .map((pool) => pool.metadata.name)
      .toSorted()
      .join(', ') || 'none'
  return `No MachineConfigPool selects MachineConfig ${metadata.name}, so it has no effect: ${found}. Set the label to the name of a pool; existing pools: ${names}`
}
