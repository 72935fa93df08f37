import type { ConditionReport } from '../../api/conditions.ts'
import { poolConditions, setCondition, maxMessageLength } from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { pinnedImagesReasons } from '../../api/reasons.ts'
import { sameJson } from '@machinist/core/encoding/json'
import type { PinnedSelection } from './select.ts'
import type { PinnedCounts } from './tally.ts'

/** The facts about one pool. */
export interface PinnedImagesFacts {
  readonly pool: Readonly<MachineConfigPool>
  readonly selection: PinnedSelection
  readonly counts: PinnedCounts
}

export interface PinnedImagesPlan {
  /** The desired spec.pinnedImageSets; null removes the list. Absent if it is correct, or the selector is invalid. */
  readonly list?: readonly { readonly name: string }[] | null
  /** Why spec.pinnedImageSets cannot be set. */
  readonly problem?: string
  /** The progress of its nodes; undefined without pinned images. */
  readonly counts: PinnedCounts | undefined
}

export function decide({ pool, selection, counts }: PinnedImagesFacts): PinnedImagesPlan {
  const listed = pool.spec.pinnedImageSets
  if ('problem' in selection) {
    // The list stays, and its nodes keep their images.
    return { problem: selection.problem, counts: listed?.length ? counts : undefined }
  }
  const list = selection.sets.map(({ metadata }) => ({ name: metadata.name }))
  const plan = { counts: list.length > 0 ? counts : undefined }
  if (sameJson(listed ?? [], list)) return plan
  return { ...plan, list: list.length > 0 ? list : null }
}

/** Pure: the status after a report; the same object if nothing changes. Fields of other controllers stay. */
export function statusAfter(
  { metadata, status = {} }: Readonly<MachineConfigPool>,
  { problem, counts }: Pick<PinnedImagesPlan, 'problem' | 'counts'>,
  now: string,
): Readonly<MachineConfigPoolStatus> {
  const conditions = setCondition(status.conditions, degradedReport(metadata.name, problem), now)
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

function degradedReport(pool: string, problem: string | undefined): ConditionReport {
  const type = poolConditions.pinnedImageSetsDegraded
  if (problem === undefined) return { type, status: 'False', reason: '', message: '' }
  const message = `Failed to populate pinned image sets for pool ${pool}: ${problem}`
  return {
    type,
    status: 'True',
    reason: pinnedImagesReasons.listFailed,
    message: message.slice(0, maxMessageLength),
  }
}

type Synchronizer = NonNullable<MachineConfigPoolStatus['poolSynchronizersStatus']>[number]

function synchronizerOf(counts: PinnedCounts, observedGeneration = 0): Synchronizer {
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
