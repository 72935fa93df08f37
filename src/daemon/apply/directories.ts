import type { NewDirectory } from '../host/host.ts'

/** What a file needs above it, unless it says more. */
export const usualDirectory: NewDirectory = { mode: 0o755, uid: 0, gid: 0 }

/** A directory and all those above it, the uppermost first; without the root. */
export function parentsFirst(path: string): string[] {
  const parts = path.split('/').slice(1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
}

/** All directories above a path, the uppermost first; without the root. */
export const directoriesAbove = (path: string): string[] => parentsFirst(path).slice(0, -1)
