import type { MachineConfigPool, PinnedImageSet } from '../../api/resources.ts'
import { messageOf } from '@machinist/core/errors'
import { matcher } from '../render/gather.ts'

/** The sets of one pool, by name; or why that cannot be told. */
export type Selection =
  { readonly sets: readonly Readonly<PinnedImageSet>[] } | { readonly problem: string }

/** The sets that a pool lists, as far as they are there. */
export function listedSets(
  { spec }: Readonly<MachineConfigPool>,
  setNamed: (name: string) => Readonly<PinnedImageSet> | undefined,
): Readonly<PinnedImageSet>[] {
  return (spec.pinnedImageSets ?? []).flatMap(({ name }) => setNamed(name) ?? [])
}

/** As many as a pool can list. */
const most = 100

/** Pure. Selected as MachineConfigs are: without a selector, or with an empty one, a pool has none. */
export function setsOf(
  pool: Readonly<MachineConfigPool>,
  all: readonly Readonly<PinnedImageSet>[],
): Selection {
  try {
    const isSelected = matcher(pool.spec.machineConfigSelector)
    const sets = all
      .filter(({ metadata }) => !metadata.deletionTimestamp && isSelected(metadata.labels))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    if (sets.length <= most) return { sets }
    return {
      problem: `its machineConfigSelector selects ${sets.length} PinnedImageSets, and ${most} are the most: put images into fewer sets`,
    }
  } catch (error) {
    return { problem: `its machineConfigSelector cannot be used: ${messageOf(error)}` }
  }
}
