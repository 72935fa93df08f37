import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import type { PinnedDigests } from '../../api/pinned-images.ts'
import {
  pinnedDigest,
  pinnedImageSetVersionOf,
  writePinnedDigests,
} from '../../api/pinned-images.ts'
import { listedSets } from '../pinned-images/select.ts'
import type { PinnedImageDigestsFacts } from './facts.ts'

export interface PinnedImageDigestsPlan {
  /** The annotation; undefined removes it. */
  readonly digests: string | undefined
}

/** Pure: the digests to publish; undefined if they are published. */
export function decide({
  config,
  pools,
  sets,
}: PinnedImageDigestsFacts): PinnedImageDigestsPlan | undefined {
  const published = config.metadata.annotations?.[ownControllerConfigAnnotations.pinnedImages]
  const byName = new Map(sets.map((set) => [set.metadata.name, set]))
  const digests = writePinnedDigests(digestsOf(pools, (name) => byName.get(name)))
  return published === digests ? undefined : { digests }
}

/** Listed sets that do not exist are skipped: nodes cannot read them either. */
export function digestsOf(
  pools: readonly Readonly<MachineConfigPool>[],
  setNamed: (name: string) => Readonly<PinnedImageSet> | undefined,
): PinnedDigests {
  const digests = new Map<string, string>()
  for (const pool of pools) {
    const { name, deletionTimestamp } = pool.metadata
    const sets = deletionTimestamp ? [] : listedSets(pool, setNamed)
    if (sets.length > 0) digests.set(name, pinnedDigest(sets.map(pinnedImageSetVersionOf)))
  }
  return digests
}
