import { conditionOf, pinnedImageSetsSeen } from '../../api/conditions.ts'
import type { PinnedImageSetProgress } from '../../api/kinds/machine-config-node.ts'
import type { PinnedImageSetVersion } from '../../api/pinned-images.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'

/** The sets that the nodes of a pool are to have. */
export interface DesiredSets {
  readonly sets: readonly PinnedImageSetVersion[]
  readonly digest: string
}

/** The sets that a node reports in its MachineConfigNode. */
export interface ReportedSets {
  readonly sets: readonly Readonly<PinnedImageSetProgress>[]
  /** The digest of the reported sets. MCO's daemon does not report it, and resets the condition. */
  readonly digest: string | undefined
}

/** A node has all images, failed to pull some, or has not processed the sets yet. */
export type PinnedState = 'updated' | 'failed' | 'behind'

/** Pure. A report about other sets or another generation does not count: the node has not processed these yet. */
export function pinnedStateOf(
  { sets, digest }: DesiredSets,
  reported: ReportedSets | undefined,
): PinnedState {
  if (reported?.digest !== undefined && reported.digest !== digest) return 'behind'
  const byName = new Map(reported?.sets.map((each) => [each.name, each]))
  let isUpdated = true
  for (const { name, generation } of sets) {
    const progress = byName.get(name)
    if (progress?.lastFailedGeneration === generation) return 'failed'
    isUpdated &&=
      progress?.currentGeneration === generation && progress.desiredGeneration === generation
  }
  return isUpdated ? 'updated' : 'behind'
}

export const desiredSetsOf = (sets: readonly PinnedImageSetVersion[]): DesiredSets => ({
  sets,
  digest: pinnedDigest(sets),
})

/** Undefined if a node reports no sets. */
export function reportedSetsOf(
  status: Readonly<MachineConfigNode>['status'],
): ReportedSets | undefined {
  const sets = status?.pinnedImageSets
  if (!sets?.length) return undefined
  const seen = conditionOf(status?.conditions, pinnedImageSetsSeen)
  return { sets, digest: seen?.status === 'True' ? seen.message : undefined }
}
