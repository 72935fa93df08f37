import type { Host } from '../../host/host.ts'
import { restoreEnablement } from '../machine/enablement.ts'
import type { Intent, PathChange } from '../intent.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import type { IntentContents } from '../journal/intent-contents.ts'
import { stageIfNeeded } from '../machine/os-change.ts'
import { setPassword } from '../machine/password.ts'
import { setPathState } from '../machine/path-state.ts'
import { parkIfAborted } from './parked.ts'

/** Restores the state before the update, from any point of it: the reverse of `rollForward`. */
export async function rollBack(
  host: Host,
  shared: SharedFiles,
  contents: IntentContents,
  intent: Intent,
  signal: AbortSignal,
): Promise<void> {
  const { files, accounts, os } = host
  const undo = async ({ path, before, backup }: PathChange): Promise<void> => {
    parkIfAborted(signal)
    await files.tidy(path)
    const bytes = (): Promise<Uint8Array> => contents.backup(backup!)
    await shared.runExclusive(path, async () => {
      const isKept = await shared.keepsCurrent(path, before.type === 'file' ? bytes : undefined)
      if (!isKept) await setPathState(files, path, before, bytes)
    })
  }
  for (const change of intent.stored.toReversed()) await undo(change)
  if (intent.os) await stageIfNeeded(os, intent.os.before)
  for (const { user, before } of intent.passwords) await setPassword(accounts, user, before)
  for (const change of intent.written.toReversed()) await undo(change)
  for (const { path } of intent.made.toReversed()) await files.removeDirectory(path)
  for (const { path, ...directory } of intent.emptied.toReversed()) {
    await files.makeDirectory(path, directory)
  }
  // This also recreates *.wants directories, which systemctl removes when they are empty.
  if (intent.enablement) await restoreEnablement(files, intent.enablement)
  for (const change of intent.removed.toReversed()) await undo(change)
}
