import { nodePaths } from '../../api/node-paths.ts'
import type { Host, HostFiles } from '../host/host.ts'
import type { DesiredImages } from './desired-images.ts'
import type { PinnedImagesFacts, PinnedImagesResult } from './facts.ts'
import type { PinnedImagesMemory } from './memory.ts'
import type { NotesFile } from './notes.ts'

/** The sources of the facts. */
export interface PinnedImagesSources {
  readonly host: Pick<Host, 'files' | 'images'>
  /** The desired images at this moment; undefined if they are unknown. */
  readonly desired: () => DesiredImages | undefined
  readonly notesFile: NotesFile
  readonly memory: PinnedImagesMemory
}

/** Undefined if the desired images are unknown, or if none were ever pinned. */
export async function gather(
  { host, desired: desiredNow, notesFile, memory }: PinnedImagesSources,
  previous: PinnedImagesResult | undefined,
): Promise<PinnedImagesFacts | undefined> {
  const desired = desiredNow()
  if (!desired) return undefined
  const { digest } = desired
  if (!memory.isActive && digest === undefined && !(await isPinning(host.files))) return undefined
  memory.isActive = true
  await notesFile.read()
  const { notes } = notesFile
  return {
    desired,
    ...(notes && { notes }),
    waitMs: waitBefore(digest, notes?.digest, memory),
    ...(previous && { previous }),
  }
}

function waitBefore(
  digest: string | undefined,
  known: string | undefined,
  memory: PinnedImagesMemory,
): number {
  if (digest === undefined) return memory.beforeRelease()
  memory.cancelRelease()
  return digest === known ? 0 : memory.beforeRead(digest)
}

/** Whether this or a previous daemon, such as MCO's, has pinned images. */
async function isPinning(files: HostFiles): Promise<boolean> {
  for (const path of [nodePaths.pinnedImagesNotes, nodePaths.pinnedImages]) {
    if ((await files.stat(path)) !== undefined) return true
  }
  return false
}
