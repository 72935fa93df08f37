import { sameJson } from '@machinist/core/json'
import type { HostFiles } from '../host/host.ts'
import { parentOf } from '../host/paths.ts'
import { directoriesAbove, parentsFirst, usualDirectory } from './directories.ts'
import type { NotedDirectory, PathChange } from './intent.ts'
import { startsUnits } from './enablement.ts'

/**
 * The directories that go because nothing is left in them, children first: those that updates made, those that are in the
 * way of a file, and those of links that started units. One that is not ours goes only if it would come back just the same.
 */
export async function emptiedDirectories(
  files: HostFiles,
  registry: readonly string[],
  changes: readonly PathChange[],
  made: ReadonlyMap<string, unknown>,
): Promise<NotedDirectory[]> {
  const coming = changes.filter(({ after }) => after.type !== 'absent').map(({ path }) => path)
  const going = changes.filter(
    ({ before, after }) => after.type === 'absent' && before.type !== 'absent',
  )
  const gone = new Set(going.map(({ path }) => path))
  const used = new Set([...made.keys(), ...coming.flatMap(directoriesAbove)])
  const ours = new Set(registry)
  const ofLinks = [...gone].map(parentOf).filter(startsUnits)
  const candidates = ours.union(new Set([...inTheWay(gone, new Set(coming)), ...ofLinks]))
  const emptied: NotedDirectory[] = []
  for (const path of [...candidates].sort().reverse()) {
    if (used.has(path)) continue
    const entry = await files.look(path)
    if (entry?.type !== 'directory') continue
    const names = await files.list(path)
    if (names.some((name) => !gone.has(`${path}/${name}`))) continue
    const { mode, uid, gid } = entry
    if (!ours.has(path) && !sameJson({ mode, uid, gid }, usualDirectory)) continue
    emptied.push({ path, mode, uid, gid })
    gone.add(path)
  }
  return emptied
}

/** Directories that hold what goes, at or below a path where a file comes. */
function inTheWay(gone: ReadonlySet<string>, coming: ReadonlySet<string>): string[] {
  return [...gone]
    .flatMap(directoriesAbove)
    .filter((directory) => parentsFirst(directory).some((path) => coming.has(path)))
}
