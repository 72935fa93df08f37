import { nodePaths } from '../../api/node-paths.ts'
import type { HostFiles } from '../host/host.ts'
import { largestFile } from './path-state.ts'

/** The directories that updates made. A register that makes no sense only means that a few empty directories stay. */
export async function registeredDirectories(files: HostFiles): Promise<string[]> {
  if ((await files.look(nodePaths.madeDirectories)) === undefined) return []
  const text = Buffer.from(await files.read(nodePaths.madeDirectories, largestFile)).toString()
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
