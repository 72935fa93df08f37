import { conditionOf, pinnedImageSetsSeen } from '../../api/conditions.ts'
import type { PinnedImageSetProgress } from '../../api/kinds/machine-config-node.ts'
import type { SetVersion } from '../../api/pinned-images.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import type { MachineConfigNode } from '../../api/resources.ts'

/** What the nodes of a pool shall have. */
export interface Wanted {
  readonly sets: readonly SetVersion[]
  readonly digest: string
}

/** What a node's MachineConfigNode tells. */
export interface Told {
  readonly sets: readonly Readonly<PinnedImageSetProgress>[]
  /** Of the sets that it is about; the original's daemon does not tell, and takes back what one of ours has told. */
  readonly digest: string | undefined
}

/** How far one node is: it has all images, failed to get some of them, or has not come to it yet. */
export type Holding = 'updated' | 'failed' | 'behind'

/** Pure. What a node said of other sets, or of another generation, does not count: it has not heard of these yet. */
export function judge({ sets, digest }: Wanted, told: Told | undefined): Holding {
  if (told?.digest !== undefined && told.digest !== digest) return 'behind'
  const byName = new Map(told?.sets.map((each) => [each.name, each]))
  let isUpdated = true
  for (const { name, generation } of sets) {
    const said = byName.get(name)
    if (said?.lastFailedGeneration === generation) return 'failed'
    isUpdated &&= said?.currentGeneration === generation && said.desiredGeneration === generation
  }
  return isUpdated ? 'updated' : 'behind'
}

export const wantedOf = (sets: readonly SetVersion[]): Wanted => ({
  sets,
  digest: pinnedDigest(sets),
})

/** Undefined where a node tells nothing of images. */
export function toldIn(status: Readonly<MachineConfigNode>['status']): Told | undefined {
  const sets = status?.pinnedImageSets
  if (!sets?.length) return undefined
  const seen = conditionOf(status?.conditions, pinnedImageSetsSeen)
  return { sets, digest: seen?.status === 'True' ? seen.message : undefined }
}
