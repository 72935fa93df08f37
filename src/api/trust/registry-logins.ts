import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'

/** Credentials for one registry. All fields are set, empty if unknown. */
export interface RegistryLogin {
  readonly username: string
  readonly password: string
  readonly email: string
  readonly auth: string
}

/** Credentials by registry host. */
export type RegistryLogins = ReadonlyMap<string, RegistryLogin>

/** The problem, as a predicate for the name of the source. Never quotes content, which is secret. */
export interface UnreadableLogins {
  readonly what: string
}

/** Parses `.dockerconfigjson` or, with `hasAuths` false, the older `.dockercfg` without `auths`. Detects the format if not set. */
export function readLogins(
  bytes: Uint8Array,
  hasAuths?: boolean,
): RegistryLogins | UnreadableLogins {
  const parsed = jsonOrUndefined(Buffer.from(bytes).toString('utf8'))
  if (!isObject(parsed)) return { what: 'is not a JSON object' }
  const isNewer = hasAuths ?? Object.hasOwn(parsed, 'auths')
  const hosts = isNewer ? parsed['auths'] : parsed
  // MCO reads an empty object as no credentials.
  if (hosts === undefined && Object.keys(parsed).length === 0) return new Map()
  if (!isObject(hosts)) return { what: 'has no object "auths"' }
  const logins = new Map<string, RegistryLogin>()
  for (const [index, [host, value]] of Object.entries(hosts).entries()) {
    const login = loginOf(value)
    if (!login) return { what: `entry ${index + 1} is not an object with string values` }
    logins.set(host, login)
  }
  return logins
}

export function isUnreadable(read: RegistryLogins | UnreadableLogins): read is UnreadableLogins {
  return 'what' in read
}

/** Serializes as `.dockerconfigjson`. Hosts are sorted and all fields are set, so the same logins give the same bytes. */
export function loginsText(logins: RegistryLogins): string {
  const hosts = [...logins.keys()].sort().map((host) => [host, logins.get(host)!] as const)
  return JSON.stringify({ auths: Object.fromEntries(hosts) })
}

function loginOf(value: unknown): RegistryLogin | undefined {
  if (!isObject(value)) return undefined
  const texts = ['username', 'password', 'email', 'auth'].map((field) => {
    const text = Object.hasOwn(value, field) ? (value[field] ?? '') : ''
    return typeof text === 'string' ? text : undefined
  })
  const [username, password, email, auth] = texts
  const isWhole = [username, password, email, auth].every((text) => text !== undefined)
  return isWhole ? ({ username, password, email, auth } as RegistryLogin) : undefined
}
