import { nodePaths, unitPath } from '../../../api/node-paths.ts'
import type { HostFiles } from '../../host/host.ts'
import { nameOf, parentOf } from '../../host/paths.ts'
import { isInstance } from '../../host/unit-name.ts'
import type { Enablement, DirectoryRecord } from '../intent.ts'

/** Reads the links that enable units. */
export async function getEnablement(files: HostFiles): Promise<Enablement> {
  const directories: DirectoryRecord[] = []
  const links: Record<string, string> = {}
  const collect = async (directory: string, deeper: boolean): Promise<void> => {
    for (const name of await files.list(directory)) {
      const path = `${directory}/${name}`
      const entry = await files.stat(path)
      if (entry?.type === 'symlink') links[path] = entry.target
      if (entry?.type !== 'directory' || !deeper) continue
      const { mode, uid, gid } = entry
      directories.push({ path, mode, uid, gid })
      await collect(path, false)
    }
  }
  await collect(nodePaths.units, true)
  return { directories, links }
}

/** The links that enable or alias a unit; for a template also those of its instances. */
export function unitLinks(unit: string, { links }: Enablement): string[] {
  const isUnit = (name: string): boolean => name === unit || isInstance(name, unit)
  return Object.keys(links).filter((path) => {
    if (isInstallDirectory(parentOf(path))) return isUnit(nameOf(path))
    return path !== unitPath(unit) && isUnit(nameOf(links[path]!))
  })
}

/** Whether the links in a directory enable units (`*.wants`). systemctl removes such a directory with its last link. */
export const isInstallDirectory = (directory: string): boolean =>
  parentOf(directory) === nodePaths.units && /\.(wants|requires|upholds)$/.test(directory)

/** Restores the links, and removes those that were added since. */
export async function restoreEnablement(files: HostFiles, before: Enablement): Promise<void> {
  const now = await getEnablement(files)
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
