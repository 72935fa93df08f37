import type { HostFiles } from '../host/host.ts'
import { directoriesAbove, parentsFirst } from './directories.ts'
import type { NotedDirectory, PathChange } from './intent.ts'
import { entryAt } from './path-state.ts'

/**
 * The directories that go because nothing is left in them, children first: those that updates made, and those that are
 * in the way of a file.
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
  const candidates = new Set([...registry, ...inTheWay(gone, new Set(coming))])
  const emptied: NotedDirectory[] = []
  for (const path of [...candidates].sort().reverse()) {
    if (used.has(path)) continue
    const entry = await entryAt(files, path)
    if (entry?.type !== 'directory') continue
    const names = await files.list(path)
    if (names.some((name) => !gone.has(`${path}/${name}`))) continue
    const { mode, uid, gid } = entry
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
