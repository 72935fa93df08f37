import type { ResourceAttributes } from '../authorization/attributes.ts'
import type { Authorizer } from '../authorization/authorizer.ts'
import { forbidden } from '../authorization/forbidden.ts'
import { StatusError } from '../status/status-error.ts'
import type { UserInfo } from '../identity/user-info.ts'
import {
  anonymous,
  authenticatedGroup,
  serviceAccountGroups,
  serviceAccountOf,
  unauthenticatedGroup,
} from '../identity/user-info.ts'
import type { HeaderLists } from './bearer-token.ts'

/** The user that the request acts as: the authenticated one, or the one it impersonates with permission. */
export function impersonate(
  user: UserInfo,
  headers: HeaderLists,
  authorizer: Authorizer,
): UserInfo | StatusError {
  const requested = requestedIdentity(headers)
  if (requested.username === '') {
    return requested.groups.length > 0 || requested.uid !== '' || requested.extra.size > 0
      ? userMissing()
      : user
  }
  for (const needed of neededPermissions(requested)) {
    const decision = authorizer.allowed(user, needed)
    if (!decision.allowed) return forbidden(user, needed, decision.reason)
  }
  return {
    username: requested.username,
    ...(requested.uid !== '' && { uid: requested.uid }),
    groups: groupsOf(requested),
    ...(requested.extra.size > 0 && { extra: Object.fromEntries(requested.extra) }),
  }
}

interface RequestedIdentity {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: ReadonlyMap<string, readonly string[]>
}

const extraPrefix = 'impersonate-extra-'

function requestedIdentity(headers: HeaderLists): RequestedIdentity {
  const extra = Object.entries(headers)
    .filter(([name]) => name.startsWith(extraPrefix))
    .map(([name, values]) => [unescaped(name.slice(extraPrefix.length)), values ?? []] as const)
  return {
    username: headers['impersonate-user']?.[0] ?? '',
    uid: headers['impersonate-uid']?.[0] ?? '',
    groups: headers['impersonate-group'] ?? [],
    extra: new Map(extra),
  }
}

function neededPermissions({
  username,
  uid,
  groups,
  extra,
}: RequestedIdentity): ResourceAttributes[] {
  const account = serviceAccountOf(username)
  return [
    account
      ? { ...ofCore, resource: 'serviceaccounts', ...account }
      : { ...ofCore, resource: 'users', name: username },
    ...groups.map((name) => ({ ...ofCore, resource: 'groups', name })),
    ...[...extra].flatMap(([key, values]) =>
      values.map((name) => ({ ...ofUsers, resource: 'userextras', subresource: key, name })),
    ),
    ...(uid === '' ? [] : [{ ...ofUsers, resource: 'uids', name: uid }]),
  ]
}

const ofCore = { verb: 'impersonate', group: '' }
const ofUsers = { verb: 'impersonate', group: 'authentication.k8s.io' }

function groupsOf({ username, groups }: RequestedIdentity): string[] {
  const account = serviceAccountOf(username)
  const named = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups
  if (named.includes(authenticatedGroup) || named.includes(unauthenticatedGroup)) return [...named]
  const authGroup = username === anonymous.username ? unauthenticatedGroup : authenticatedGroup
  return [...named, authGroup]
}

/** Header names cannot hold every key, so keys are percent-encoded. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const userMissing = (): StatusError =>
  new StatusError(500, 'InternalError', 'requested impersonation without impersonating a user')
