import type { PinnedImageSetProgress } from '../../api/kinds/machine-config-node.ts'

/** Which generation of each set the nodes of a pool shall have, by name. */
export type Wanted = ReadonlyMap<string, number>

/** What a node's MachineConfigNode tells. */
export type Told = readonly Readonly<PinnedImageSetProgress>[]

/** How far one node is: it has all images, failed to get some of them, or has not come to it yet. */
export type Holding = 'updated' | 'failed' | 'behind'

/** Pure. What a node said of another generation does not count: it has not heard of this one yet. */
export function judge(wanted: Wanted, told: Told | undefined): Holding {
  const byName = new Map((told ?? []).map((each) => [each.name, each]))
  let isUpdated = true
  for (const [name, generation] of wanted) {
    const said = byName.get(name)
    if (said?.lastFailedGeneration === generation) return 'failed'
    isUpdated &&= said?.currentGeneration === generation && said.desiredGeneration === generation
  }
  return isUpdated ? 'updated' : 'behind'
}
