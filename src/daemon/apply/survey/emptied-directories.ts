import { sameJson } from '@machinist/core/encoding/json'
import type { HostFiles } from '../../host/host.ts'
import { parentOf } from '../../host/paths.ts'
import { directoriesAbove, parentsFirst, defaultDirectory } from '../machine/directories.ts'
import type { DirectoryRecord, PathChange } from '../intent.ts'
import { isInstallDirectory } from '../machine/enablement.ts'

/**
 * The directories to remove because the update empties them, children first: those that updates made, those in the place of
 * a new file, and those of unit links. A directory that no update made is removed only if a rollback can recreate it exactly.
 */
export async function findEmptiedDirectories(
  files: HostFiles,
  registry: readonly string[],
  changes: readonly PathChange[],
  made: ReadonlyMap<string, unknown>,
): Promise<DirectoryRecord[]> {
  const written = changes.filter(({ after }) => after.type !== 'absent').map(({ path }) => path)
  const removals = changes.filter(
    ({ before, after }) => after.type === 'absent' && before.type !== 'absent',
  )
  const removed = new Set(removals.map(({ path }) => path))
  const used = new Set([...made.keys(), ...written.flatMap(directoriesAbove)])
  const registered = new Set(registry)
  const ofLinks = [...removed].map(parentOf).filter(isInstallDirectory)
  const obstructing = obstructingDirectories(removed, new Set(written))
  const candidates = registered.union(new Set([...obstructing, ...ofLinks]))
  const emptied: DirectoryRecord[] = []
  for (const path of [...candidates].sort().reverse()) {
    if (used.has(path)) continue
    const entry = await files.stat(path)
    if (entry?.type !== 'directory') continue
    const names = await files.list(path)
    if (names.some((name) => !removed.has(`${path}/${name}`))) continue
    const { mode, uid, gid } = entry
    if (!registered.has(path) && !sameJson({ mode, uid, gid }, defaultDirectory)) continue
    emptied.push({ path, mode, uid, gid })
    removed.add(path)
  }
  return emptied
}

/** Directories of removed paths, at or below a path that becomes a file. */
function obstructingDirectories(
  removed: ReadonlySet<string>,
  written: ReadonlySet<string>,
): string[] {
  return [...removed]
    .flatMap(directoriesAbove)
    .filter((directory) => parentsFirst(directory).some((path) => written.has(path)))
}
