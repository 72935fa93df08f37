import type { ConditionReport } from '../../api/conditions.ts'
import { poolConditions, setCondition, longestMessage } from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { pinnedImagesReasons } from '../../api/reasons.ts'
import { sameJson } from '@machinist/core/json'
import type { Selection } from './select.ts'
import type { Counts } from './tally.ts'

/** Everything about one pool that counts here. */
export interface Facts {
  readonly pool: Readonly<MachineConfigPool>
  readonly selection: Selection
  readonly counts: Counts
}

export interface Plan {
  /** What the pool shall list: null takes the list away. Absent: it lists the right ones, or nobody knows which. */
  readonly list?: readonly { readonly name: string }[] | null
  /** Why the pool cannot list what it should. */
  readonly problem?: string
  /** How far its nodes are; undefined where there is nothing to pin. */
  readonly counts: Counts | undefined
}

/** Pure. */
export function decide({ pool, selection, counts }: Facts): Plan {
  const listed = pool.spec.pinnedImageSets
  if ('problem' in selection) {
    // What it lists stays, and its nodes keep it.
    return { problem: selection.problem, counts: listed?.length ? counts : undefined }
  }
  const list = selection.sets.map(({ metadata }) => ({ name: metadata.name }))
  const plan = { counts: list.length > 0 ? counts : undefined }
  if (sameJson(listed ?? [], list)) return plan
  return { ...plan, list: list.length > 0 ? list : null }
}

/** Pure. The status with what is told here, and all that others tell left as it is; the very same if nothing is new. */
export function statusAfter(
  { metadata, status = {} }: Readonly<MachineConfigPool>,
  { problem, counts }: Pick<Plan, 'problem' | 'counts'>,
  now: string,
): Readonly<MachineConfigPoolStatus> {
  const conditions = setCondition(status.conditions, degraded(metadata.name, problem), now)
  const synchronizers = counts && [synchronizerOf(counts, metadata.generation)]
  const isSame =
    conditions === status.conditions && sameJson(status.poolSynchronizersStatus, synchronizers)
  if (isSame) return status
  const { poolSynchronizersStatus: _, ...others } = status
  return {
    ...others,
    conditions: [...conditions],
    ...(synchronizers && { poolSynchronizersStatus: synchronizers }),
  }
}

function degraded(pool: string, problem: string | undefined): ConditionReport {
  const type = poolConditions.pinnedImageSetsDegraded
  if (problem === undefined) return { type, status: 'False', reason: '', message: '' }
  const message = `Failed to populate pinned image sets for pool ${pool}: ${problem}`
  return {
    type,
    status: 'True',
    reason: pinnedImagesReasons.listFailed,
    message: message.slice(0, longestMessage),
  }
}

type Synchronizer = NonNullable<MachineConfigPoolStatus['poolSynchronizersStatus']>[number]

function synchronizerOf(counts: Counts, observedGeneration = 0): Synchronizer {
  const { machine, updated, ready, unavailable } = counts
  return {
    poolSynchronizerType: 'PinnedImageSets',
    machineCount: machine,
    updatedMachineCount: updated,
    readyMachineCount: ready,
    availableMachineCount: machine - unavailable,
    unavailableMachineCount: unavailable,
    observedGeneration,
  }
}
