import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { nodePaths } from '../../api/node-paths.ts'
import { sandboxLog } from '../../daemon/host/sandbox/sandbox.ts'
import { simulationState } from '../../daemon/host/simulated/state-file.ts'

/** A stamp of every file and link of a machine, by path. A write changes the stamp even with the same content. */
export type DiskSnapshot = ReadonlyMap<string, string>

export async function snapshotDisk(root: string): Promise<DiskSnapshot> {
  const stamps = new Map<string, string>()
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isDirectory()) continue
    const place = join(entry.parentPath, entry.name)
    const stamp = await stampOf(place)
    if (stamp !== undefined) stamps.set(`/${relative(root, place)}`, stamp)
  }
  return stamps
}

export interface DiskChange {
  /** Files of the machine. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** State files of the daemon. */
  readonly notes: readonly string[]
}

/** Pure: the files that were written and removed between two snapshots, without the files of the sandbox itself. */
export function diskChange(before: DiskSnapshot, after: DiskSnapshot): DiskChange {
  const isReal = (path: string): boolean => !isBelow(path, simulationState) && path !== sandboxLog
  const written = [...after.keys()].filter((path) => before.get(path) !== after.get(path))
  const removed = [...before.keys()].filter((path) => !after.has(path))
  const isState = (path: string): boolean => isBelow(path, nodePaths.state)
  const ofMachine = (path: string): boolean => isReal(path) && !isState(path)
  return {
    written: written.filter(ofMachine).toSorted(),
    removed: removed.filter(ofMachine).toSorted(),
    notes: [...written, ...removed].filter(isState).toSorted(),
  }
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`)

/** A replaced file has another inode, an overwritten one another time. */
async function stampOf(place: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await lstat(place, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    // Temporary files can disappear after the directory is listed.
    return undefined
  }
}
