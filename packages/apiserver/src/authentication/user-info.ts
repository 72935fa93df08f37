/** Who asks, in the form that reviews show it on the wire. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const mastersGroup = 'system:masters'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

export const anonymous: UserInfo = {
  username: 'system:anonymous',
  groups: [unauthenticatedGroup],
}

/** Everybody whose name was proven is in one group more. */
export function authenticated(user: UserInfo): UserInfo {
  const groups = user.groups.includes(authenticatedGroup)
    ? user.groups
    : [...user.groups, authenticatedGroup]
  return { ...user, groups }
}

const accountPrefix = 'system:serviceaccount:'

export function serviceAccountUser(namespace: string, name: string): string {
  return `${accountPrefix}${namespace}:${name}`
}

/** The groups that every service account of a namespace is in. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** The service account behind a user name, if it is one. */
export function serviceAccountOf(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(accountPrefix)) return undefined
  const [namespace, name, ...more] = username.slice(accountPrefix.length).split(':')
  if (!namespace || !name || more.length > 0) return undefined
  return { namespace, name }
}
