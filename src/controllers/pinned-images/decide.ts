import { sameJson } from '@machinist/core/encoding/json'
import type { PinnedImagesFacts } from './facts.ts'
import type { PinnedImagesReport } from './status.ts'

/** `problem`: why the selector is invalid. */
export interface PinnedImagesPlan extends PinnedImagesReport {
  /** The desired spec.pinnedImageSets; null removes the list. Absent if it is correct, or the selector is invalid. */
  readonly list?: readonly { readonly name: string }[] | null
}

/** Pure: the list and the progress of a pool. */
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
