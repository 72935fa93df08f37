import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { nodeRoleLabel } from '../../../api/labels.ts'
import type { RegistryLogins } from '../../../api/trust/registry-logins.ts'
import { isUnreadable, loginsText, readLogins } from '../../../api/trust/registry-logins.ts'
import { RefusedInput } from './item.ts'

/** Keys of mounted Secrets, the preferred one first. */
export const pullSecretKeys = ['.dockerconfigjson', '.dockercfg'] as const

/** Merges both pull secrets; for a registry in both, the mounted one wins. */
export function mergedPullSecret(given: Uint8Array | undefined, mounted: Uint8Array): Uint8Array {
  const logins = new Map([
    ...(given ? loginsIn(given, 'the pull secret of the cluster') : []),
    ...loginsIn(mounted, 'the mounted pull secret'),
  ])
  return Buffer.from(loginsText(logins))
}

/** Throws for a pull secret that image tools cannot read. The message does not quote the content. */
export function refuseBadPullSecret(content: Uint8Array): void {
  if (isObject(jsonOrUndefined(Buffer.from(content).toString()))) return
  throw new RefusedInput('the pull secret of the cluster is not a JSON object')
}

/** The roles by the precedence of their secrets. A node of a custom pool is also a worker: the custom role comes first. */
export function rolesInOrder(labels: Readonly<Record<string, string>> = {}): string[] {
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length))
  return roles.sort((a, b) => Number(a === 'worker') - Number(b === 'worker') || (a < b ? -1 : 1))
}

const rolePrefix = nodeRoleLabel('')

function loginsIn(content: Uint8Array, what: string): RegistryLogins {
  const read = readLogins(content)
  if (isUnreadable(read)) throw new RefusedInput(`${what} ${read.what}`)
  return read
}
