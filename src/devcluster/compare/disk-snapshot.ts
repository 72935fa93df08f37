import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { nodePaths } from '../../api/node-paths.ts'
import { sandboxLog } from '../../daemon/host/sandbox/sandbox.ts'
import { simulationState } from '../../daemon/host/simulated/state-file.ts'

/** What every file and link of a machine is, by path: whoever writes one leaves another stamp, even with the same content. */
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
  /** Files in which the daemon notes what it did. */
  readonly notes: readonly string[]
}

/** Pure: what was written and removed in between. What the sandbox keeps for itself no machine has. */
export function diskChange(before: DiskSnapshot, after: DiskSnapshot): DiskChange {
  const isReal = (path: string): boolean => !isBelow(path, simulationState) && path !== sandboxLog
  const written = [...after.keys()].filter((path) => before.get(path) !== after.get(path))
  const removed = [...before.keys()].filter((path) => !after.has(path))
  const isNote = (path: string): boolean => isBelow(path, nodePaths.state)
  const ofMachine = (path: string): boolean => isReal(path) && !isNote(path)
  return {
    written: written.filter(ofMachine).toSorted(),
    removed: removed.filter(ofMachine).toSorted(),
    notes: [...written, ...removed].filter(isNote).toSorted(),
  }
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`)

/** A file that is replaced is another one (inode); one that is written over has another time. */
async function stampOf(place: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await lstat(place, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    // Gone between the list and the look, as temporary files are.
    return undefined
  }
}
