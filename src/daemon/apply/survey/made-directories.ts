import { nodePaths } from '../../../api/node-paths.ts'
import type { HostFiles } from '../../host/host.ts'
import { maxFileBytes } from '../../verify/compare-file.ts'

/** The directories that updates made. If the file is damaged, a few empty directories stay. */
export async function loadMadeDirectories(files: HostFiles): Promise<string[]> {
  if ((await files.stat(nodePaths.madeDirectories)) === undefined) return []
  const text = Buffer.from(await files.read(nodePaths.madeDirectories, maxFileBytes)).toString()
  return pathsIn(text)
}

function pathsIn(text: string): string[] {
  try {
    const paths: unknown = JSON.parse(text)
    return Array.isArray(paths) ? paths.filter(isCleanPath) : []
  } catch {
    return []
  }
}

function isCleanPath(path: unknown): path is string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0')) return false
  return path
    .split('/')
    .slice(1)
    .every((part) => part !== '' && part !== '.' && part !== '..')
}
