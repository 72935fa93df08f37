import type { DesiredImages } from './desired-images.ts'
import type { PinnedImagesNotes } from './notes.ts'
import type { PrefetchState } from './progress.ts'

/** Everything that determines what the lane does next. */
export interface PinnedImagesFacts {
  readonly desired: DesiredImages
  /** The sets that were read last; absent: none. */
  readonly notes?: PinnedImagesNotes
  /** Time to wait before changed sets are read, or before images are unpinned. */
  readonly waitMs: number
  /** How the previous pass of this reconcile ended; absent in the first one. */
  readonly previous?: PinnedImagesResult
}

/** How a pass ended. */
export type PinnedImagesResult =
  /** The sets with this announced digest were read. Their own digest may differ, if they are changing. */
  | { readonly type: 'read'; readonly digest: string }
  /** `isComplete`: nothing failed. */
  | { readonly type: 'prefetched'; readonly state: PrefetchState; readonly isComplete: boolean }
  /** The daemon stops, or other images are desired. */
  | { readonly type: 'interrupted' }
  /** All images are unpinned. */
  | { readonly type: 'released' }
  | { readonly type: 'done' }
