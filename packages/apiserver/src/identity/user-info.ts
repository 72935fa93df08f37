/** The authenticated user, in the form of reviews. */
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

/** Adds the group system:authenticated. */
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

/** The groups of every service account of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** The service account of a user name, if it is one. */
export function serviceAccountOf(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(accountPrefix)) return undefined
  const [namespace, name, ...more] = username.slice(accountPrefix.length).split(':')
  if (!namespace || !name || more.length > 0) return undefined
  return { namespace, name }
}
