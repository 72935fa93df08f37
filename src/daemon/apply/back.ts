import type { Host } from '../host/host.ts'
import { restoreEnablement } from './enablement.ts'
import type { Intent, PathChange } from './intent.ts'
import type { KeptFiles } from './kept-files.ts'
import type { NotedContents } from './noted-contents.ts'
import { stageOnce } from './os-change.ts'
import { parkIf } from './parked.ts'
import { setPassword } from './password.ts'
import { putState } from './path-state.ts'

/** Brings the disk back to where it was, however far the update came: the mirror image of `goForward`. */
export async function goBack(
  host: Host,
  kept: KeptFiles,
  contents: NotedContents,
  intent: Intent,
  signal: AbortSignal,
): Promise<void> {
  const { files, accounts, os } = host
  const undo = async ({ path, before, backup }: PathChange): Promise<void> => {
    parkIf(signal)
    await files.tidy(path)
    const bytes = (): Promise<Uint8Array> => contents.backup(backup!)
    await kept.alone(path, async () => {
      const isKept = await kept.keeps(path, before.type === 'file' ? bytes : undefined)
      if (!isKept) await putState(files, path, before, bytes)
    })
  }
  for (const change of intent.stored.toReversed()) await undo(change)
  if (intent.os) await stageOnce(os, intent.os.before)
  for (const { user, before } of intent.passwords) await setPassword(accounts, user, before)
  for (const change of intent.written.toReversed()) await undo(change)
  for (const { path } of intent.made.toReversed()) await files.removeDirectory(path)
  for (const { path, ...directory } of intent.emptied.toReversed()) {
    await files.makeDirectory(path, directory)
  }
  // With the directories of links, which systemctl removes when they are empty.
  if (intent.enablement) await restoreEnablement(files, intent.enablement)
  for (const change of intent.removed.toReversed()) await undo(change)
}
