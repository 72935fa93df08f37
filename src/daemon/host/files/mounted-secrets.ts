import { readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import type { Watch } from '../host.ts'
import { withPath, orAbsent } from './system-errors.ts'
import { watchPaths } from './watch-paths.ts'

/** Pull secrets that are mounted into the daemon's pod: one directory per role, as Kubernetes mounts Secrets. */
export interface MountedSecrets {
  /** The roles that have a directory, sorted. */
  roles(): Promise<readonly string[]>
  /** The content of a key; undefined if the role has no such key. */
  read(role: string, key: string): Promise<Uint8Array | undefined>
  /** Watches the current roles. A role that is mounted later is found by `roles`. */
  watch(changed: () => void): Watch
}

export const noMountedSecrets: MountedSecrets = {
  roles: async () => [],
  read: async () => undefined,
  watch: () => ({ close() {} }),
}

/** The link that the kubelet replaces when a mounted Secret changes. */
const dataLink = '..data'

/** Secrets in a directory of the daemon's own file system, not of the machine's. */
export function mountedSecretsAt(directory: string): MountedSecrets {
  const at = (...parts: readonly string[]): string => [directory, ...parts].join('/')
  return {
    async roles() {
      const entries = await withPath(directory, () => orAbsent(() => readdir(directory)))
      return (entries ?? []).filter(isRole).sort()
    },
    read(role, key) {
      const path = at(role, key)
      return withPath(path, () => orAbsent(() => readFile(path)))
    },
    watch(changed) {
      const paths = rolesNow(directory).map((role) => at(role, dataLink))
      return watchPaths('', [directory, ...paths], changed)
    },
  }
}

const isRole = (name: string): boolean => !name.startsWith('.')

/** Synchronous, so that no change is missed after the caller has its Watch. */
function rolesNow(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isRole)
  } catch {
    return []
  }
}
