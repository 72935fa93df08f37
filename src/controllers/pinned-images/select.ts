import { messageOf } from '@machinist/core/errors'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import { matcher } from '../render/gather.ts'

/** The sets of one pool, sorted by name, or why the selector is invalid. */
export type PinnedSelection =
  { readonly sets: readonly Readonly<PinnedImageSet>[] } | { readonly problem: string }

/** The existing sets in spec.pinnedImageSets. */
export function listedSets(
  { spec }: Readonly<MachineConfigPool>,
  setNamed: (name: string) => Readonly<PinnedImageSet> | undefined,
): Readonly<PinnedImageSet>[] {
  return (spec.pinnedImageSets ?? []).flatMap(({ name }) => setNamed(name) ?? [])
}

/** The maximum length of spec.pinnedImageSets. */
const maxSets = 100

/** Pure. Selects sets like MachineConfigs: a missing or empty selector selects none. */
export function setsOf(
  pool: Readonly<MachineConfigPool>,
  all: readonly Readonly<PinnedImageSet>[],
): PinnedSelection {
  try {
    const isSelected = matcher(pool.spec.machineConfigSelector)
    const sets = all
      .filter(({ metadata }) => !metadata.deletionTimestamp && isSelected(metadata.labels))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    if (sets.length <= maxSets) return { sets }
    return {
      problem: `its machineConfigSelector selects ${sets.length} PinnedImageSets, and at most ${maxSets} are allowed: put images into fewer sets`,
    }
  } catch (error) {
    return { problem: `its machineConfigSelector is invalid: ${messageOf(error)}` }
  }
}
