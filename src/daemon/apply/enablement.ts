import { nodePaths, unitPath } from '../../api/node-paths.ts'
import type { HostFiles } from '../host/host.ts'
import { nameOf, parentOf } from '../host/paths.ts'
import { isInstance } from '../host/unit-name.ts'
import type { Enablement, NotedDirectory } from './intent.ts'

/** Which units start, as the links on disk say it. */
export async function enablementOf(files: HostFiles): Promise<Enablement> {
  const directories: NotedDirectory[] = []
  const links: Record<string, string> = {}
  const note = async (directory: string, deeper: boolean): Promise<void> => {
    for (const name of await files.list(directory)) {
      const path = `${directory}/${name}`
      const entry = await files.look(path)
      if (entry?.type === 'symlink') links[path] = entry.target
      if (entry?.type !== 'directory' || !deeper) continue
      const { mode, uid, gid } = entry
      directories.push({ path, mode, uid, gid })
      await note(path, false)
    }
  }
  await note(nodePaths.units, true)
  return { directories, links }
}

/** The links that start a unit or give it another name; of a template also those of its instances. */
export function linksOf(unit: string, { links }: Enablement): string[] {
  const isIt = (name: string): boolean => name === unit || isInstance(name, unit)
  return Object.keys(links).filter((path) => {
    if (startsUnits(parentOf(path))) return isIt(nameOf(path))
    return path !== unitPath(unit) && isIt(nameOf(links[path]!))
  })
}

/** Whether the links in a directory start units; systemctl removes such a directory with the last of them. */
export const startsUnits = (directory: string): boolean =>
  parentOf(directory) === nodePaths.units && /\.(wants|requires|upholds)$/.test(directory)

/** Puts the links back, and takes those away that came since. */
export async function restoreEnablement(files: HostFiles, before: Enablement): Promise<void> {
  const now = await enablementOf(files)
  for (const path of Object.keys(now.links)) {
    if (!Object.hasOwn(before.links, path)) await files.remove(path)
  }
  for (const { path, ...directory } of before.directories) {
    await files.makeDirectory(path, directory)
  }
  for (const [path, target] of Object.entries(before.links)) {
    if (now.links[path] !== target) await files.link(path, target)
  }
  const known = new Set(before.directories.map(({ path }) => path))
  for (const { path } of now.directories) {
    if (!known.has(path)) await files.removeDirectory(path)
  }
}
