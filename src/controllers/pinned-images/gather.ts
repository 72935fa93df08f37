import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'
import type { PinnedImagesFacts } from './facts.ts'
import type { PinnedImagesCaches } from './inputs.ts'
import { listedSets, setsOf } from './select.ts'
import type { PinnedTally } from './tally.ts'

/** Undefined if the pool does not exist, or is being deleted. */
export function gather(
  name: string,
  { pools, pinnedImageSets }: PinnedImagesCaches,
  tally: PinnedTally,
): PinnedImagesFacts | undefined {
  const pool = pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) return undefined
  const selection = setsOf(pool, pinnedImageSets.list())
  // With an invalid selector the nodes keep the listed sets.
  const sets =
    'sets' in selection ? selection.sets : listedSets(pool, (set) => pinnedImageSets.get(set))
  tally.setDesired(name, sets.map(pinnedImageSetVersionOf))
  return { pool, selection, counts: tally.counts(name) }
}
