import type { NewDirectory } from '../../host/host.ts'

/** Mode and owner of directories that are created for a file. */
export const defaultDirectory: NewDirectory = { mode: 0o755, uid: 0, gid: 0 }

/** A directory and all directories above it, the uppermost first, without the root. */
export function parentsFirst(path: string): string[] {
  const parts = path.split('/').slice(1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
}

/** All directories above a path, the uppermost first, without the root. */
export const directoriesAbove = (path: string): string[] => parentsFirst(path).slice(0, -1)
