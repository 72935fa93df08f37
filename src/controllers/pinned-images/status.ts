import { sameJson } from '@machinist/core/encoding/json'
import type { ConditionReport } from '../../api/conditions.ts'
import { maxMessageLength, poolConditions, setCondition } from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { pinnedImagesReasons } from '../../api/reasons.ts'
import type { PinnedCounts } from './tally.ts'

/** What the status reports. */
export interface PinnedImagesReport {
  /** Why spec.pinnedImageSets cannot be set. */
  readonly problem?: string
  /** The progress of the nodes; undefined without pinned images. */
  readonly counts: PinnedCounts | undefined
}

/** Pure: the status after a report; the same object if nothing changes. Fields of other controllers stay. */
export function statusAfter(
  { metadata, status = {} }: Readonly<MachineConfigPool>,
  { problem, counts }: PinnedImagesReport,
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
