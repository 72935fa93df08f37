import { nodeRoleLabel } from '../../api/labels.ts'
import type { RegistryLogins } from '../../api/trust/registry-logins.ts'
import { isUnreadable, loginsText, readLogins } from '../../api/trust/registry-logins.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { Refused } from './item.ts'

/** Keys of mounted Secrets, the better one first. */
export const pullSecretKeys = ['.dockerconfigjson', '.dockercfg'] as const

/** Both as one file; where both know a registry, the mounted one counts. */
export function mergedPullSecret(given: Uint8Array | undefined, mounted: Uint8Array): Uint8Array {
  const logins = new Map([
    ...(given ? loginsIn(given, 'what the cluster gives') : []),
    ...loginsIn(mounted, 'what is mounted'),
  ])
  return Buffer.from(loginsText(logins))
}

/** Tools that fetch images would fall back to other credentials, or fail. Says nothing of what is in it. */
export function refuseBadPullSecret(content: Uint8Array): void {
  if (isObject(jsonOrUndefined(Buffer.from(content).toString()))) return
  throw new Refused('what the cluster gives is not a JSON object')
}

/** In the order in which their secrets count. A node of a special pool is a worker, too: the special one comes first. */
export function rolesInOrder(labels: Readonly<Record<string, string>> = {}): string[] {
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length))
  return roles.sort((a, b) => Number(a === 'worker') - Number(b === 'worker') || (a < b ? -1 : 1))
}

const rolePrefix = nodeRoleLabel('')

function loginsIn(content: Uint8Array, what: string): RegistryLogins {
  const read = readLogins(content)
  if (isUnreadable(read)) throw new Refused(`${what} ${read.what}`)
  return read
}
