import type { PinnedImagesFacts } from './facts.ts'
import type { ImageSet } from './image-sets.ts'

export type PinnedImagesPlan =
  | { readonly action: 'wait'; readonly forMs: number }
  | { readonly action: 'readSets'; readonly pool: string; readonly digest: string }
  /** Pull missing images and pin all. */
  | { readonly action: 'prefetch'; readonly sets: readonly ImageSet[] }
  /** Unpin all images. */
  | { readonly action: 'release' }
  /** Remove the notes, once the release has been reported. */
  | { readonly action: 'removeNotes' }

/** Pure. Sets are read once per reconcile: if they do not match the announced digest, they are read again later. */
export function decide({ desired, notes, waitMs, previous }: PinnedImagesFacts): PinnedImagesPlan {
  const { pool, digest } = desired
  if (digest === undefined && previous?.type === 'released') return { action: 'removeNotes' }
  const isRead = previous?.type === 'read' && previous.digest === digest
  if (waitMs > 0 && !isRead) return { action: 'wait', forMs: waitMs }
  if (digest === undefined) return { action: 'release' }
  if (!isRead && notes?.digest !== digest) return { action: 'readSets', pool, digest }
  return { action: 'prefetch', sets: notes?.sets ?? [] }
}
