import { nodeRoleLabel } from '../../api/labels.ts'
import { isObject } from '../../base/json.ts'
import { Refused } from './item.ts'

/** Keys of mounted Secrets, the better one first. */
export const pullSecretKeys = ['.dockerconfigjson', '.dockercfg'] as const

const entryFields = ['username', 'password', 'email', 'auth'] as const

type Entry = Partial<Record<(typeof entryFields)[number], string>>

/** Both as one file; where both know a registry, the mounted one counts. */
export function mergedPullSecret(given: Uint8Array | undefined, mounted: Uint8Array): Uint8Array {
  const auths = {
    ...(given && entriesIn(given, 'what the cluster gives')),
    ...entriesIn(mounted, 'what is mounted'),
  }
  const sorted = Object.fromEntries(
    Object.keys(auths)
      .sort()
      .map((host) => [host, auths[host]]),
  )
  return Buffer.from(JSON.stringify({ auths: sorted }))
}

/** Tools that fetch images would fall back to other credentials, or fail. Says nothing of what is in it. */
export function refuseBadPullSecret(content: Uint8Array): void {
  objectIn(content, 'what the cluster gives')
}

/** In the order in which their secrets count. A node of a special pool is a worker, too: the special one comes first. */
export function rolesInOrder(labels: Readonly<Record<string, string>> = {}): string[] {
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length))
  return roles.sort((a, b) => Number(a === 'worker') - Number(b === 'worker') || (a < b ? -1 : 1))
}

const rolePrefix = nodeRoleLabel('')

/** The older format is the newer one without the word around it. */
function entriesIn(content: Uint8Array, what: string): Record<string, Entry> {
  const value = objectIn(content, what)
  const auths = Object.hasOwn(value, 'auths') ? value['auths'] : value
  if (!isObject(auths)) throw new Refused(`${what} is no pull secret`)
  return Object.fromEntries(Object.entries(auths).map(([host, entry]) => [host, entryOf(entry)]))
}

function entryOf(entry: unknown): Entry {
  if (!isObject(entry)) return {}
  const known = entryFields.flatMap((field) => {
    const value = entry[field]
    return typeof value === 'string' && value !== '' ? [[field, value] as const] : []
  })
  return Object.fromEntries(known)
}

function objectIn(content: Uint8Array, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(content).toString())
  } catch {
    // What JSON.parse says quotes the text.
    throw new Refused(`${what} is not JSON`)
  }
  if (!isObject(value)) throw new Refused(`${what} is no pull secret`)
  return value
}
