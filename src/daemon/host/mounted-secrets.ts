import { readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import type { Watch } from './host.ts'
import { named, orAbsent } from './system-errors.ts'
import { watchPaths } from './watch-paths.ts'

/** Pull secrets that somebody mounted beside the daemon: one directory per role, as Kubernetes mounts Secrets. */
export interface MountedSecrets {
  /** Roles that have a directory, sorted. */
  roles(): Promise<readonly string[]>
  /** The content of a key; undefined if this role has none. */
  read(role: string, key: string): Promise<Uint8Array | undefined>
  /** Those that are mounted now; what is mounted later is found by looking. */
  watch(changed: () => void): Watch
}

export const noMountedSecrets: MountedSecrets = {
  roles: async () => [],
  read: async () => undefined,
  watch: () => ({ close() {} }),
}

/** The link that Kubernetes swaps when a mounted Secret changes. */
const swapped = '..data'

/** In a directory of the daemon's own file system, not of its machine's. */
export function secretsMountedAt(directory: string): MountedSecrets {
  const at = (...parts: readonly string[]): string => [directory, ...parts].join('/')
  return {
    async roles() {
      const entries = await named(directory, () => orAbsent(() => readdir(directory)))
      return (entries ?? []).filter(isRole).sort()
    },
    read(role, key) {
      const path = at(role, key)
      return named(path, () => orAbsent(() => readFile(path)))
    },
    watch(changed) {
      const paths = rolesNow(directory).map((role) => at(role, swapped))
      return watchPaths('', [directory, ...paths], changed)
    },
  }
}

const isRole = (name: string): boolean => !name.startsWith('.')

/** At once, so that no change is missed after the caller has its watch. */
function rolesNow(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isRole)
  } catch {
    return []
  }
}
