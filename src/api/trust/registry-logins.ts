import { isObject, jsonOrUndefined } from '@machinist/core/json'

/** Credentials for one registry, with everything that a reader may ask for. */
export interface RegistryLogin {
  readonly username: string
  readonly password: string
  readonly email: string
  readonly auth: string
}

/** By host. */
export type RegistryLogins = ReadonlyMap<string, RegistryLogin>

/** What is wrong, in words that fit behind the name of the place; never quotes what is there. */
export interface UnreadableLogins {
  readonly what: string
}

/** As `.dockerconfigjson` has them, or without anything around the hosts, as in the older form; either, if it is not said which. */
export function readLogins(
  bytes: Uint8Array,
  hasAuths?: boolean,
): RegistryLogins | UnreadableLogins {
  const parsed = jsonOrUndefined(Buffer.from(bytes).toString('utf8'))
  if (!isObject(parsed)) return { what: 'is not a JSON object' }
  const isNewer = hasAuths ?? Object.hasOwn(parsed, 'auths')
  const hosts = isNewer ? parsed['auths'] : parsed
  // The original takes an empty object for no logins at all.
  if (hosts === undefined && Object.keys(parsed).length === 0) return new Map()
  if (!isObject(hosts)) return { what: 'has no object "auths"' }
  const logins = new Map<string, RegistryLogin>()
  for (const [index, [host, value]] of Object.entries(hosts).entries()) {
    const login = loginOf(value)
    if (!login) return { what: `entry ${index + 1} is not an object of texts` }
    logins.set(host, login)
  }
  return logins
}

export function isUnreadable(read: RegistryLogins | UnreadableLogins): read is UnreadableLogins {
  return 'what' in read
}

/** As `.dockerconfigjson`, hosts in order, all fields there even if empty: the same logins give the same bytes. */
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
