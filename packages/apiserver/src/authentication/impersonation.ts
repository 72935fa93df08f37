import type { ResourceAttributes } from '../authorization/attributes.ts'
import type { Authorizer } from '../authorization/authorizer.ts'
import { forbidden } from '../authorization/forbidden.ts'
import { Refusal } from '../refusal.ts'
import type { HeaderLists } from './bearer-token.ts'
import type { UserInfo } from './user-info.ts'
import {
  anonymous,
  authenticatedGroup,
  serviceAccountGroups,
  serviceAccountOf,
  unauthenticatedGroup,
} from './user-info.ts'

/** Whom the request is to be treated as coming from: the user, or somebody else whom the user may impersonate. */
export function impersonated(
  user: UserInfo,
  headers: HeaderLists,
  authorizer: Authorizer,
): UserInfo | Refusal {
  const wish = wishOf(headers)
  if (wish.username === '') {
    return wish.groups.length > 0 || wish.uid !== '' || wish.extra.size > 0 ? nobodyNamed() : user
  }
  for (const needed of neededRights(wish)) {
    const decision = authorizer.allowed(user, needed)
    if (!decision.allowed) return forbidden(user, needed, decision.reason)
  }
  return {
    username: wish.username,
    ...(wish.uid !== '' && { uid: wish.uid }),
    groups: groupsOf(wish),
    ...(wish.extra.size > 0 && { extra: Object.fromEntries(wish.extra) }),
  }
}

interface Wish {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: ReadonlyMap<string, readonly string[]>
}

const extraPrefix = 'impersonate-extra-'

function wishOf(headers: HeaderLists): Wish {
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

function neededRights({ username, uid, groups, extra }: Wish): ResourceAttributes[] {
  const account = serviceAccountOf(username)
  return [
    account
      ? { ...impersonate, resource: 'serviceaccounts', ...account }
      : { ...impersonate, resource: 'users', name: username },
    ...groups.map((name) => ({ ...impersonate, resource: 'groups', name })),
    ...[...extra].flatMap(([key, values]) =>
      values.map((name) => ({ ...ofUsers, resource: 'userextras', subresource: key, name })),
    ),
    ...(uid === '' ? [] : [{ ...ofUsers, resource: 'uids', name: uid }]),
  ]
}

const impersonate = { verb: 'impersonate', group: '' }
const ofUsers = { verb: 'impersonate', group: 'authentication.k8s.io' }

function groupsOf({ username, groups }: Wish): string[] {
  const account = serviceAccountOf(username)
  const named = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups
  if (named.includes(authenticatedGroup) || named.includes(unauthenticatedGroup)) return [...named]
  const everybody = username === anonymous.username ? unauthenticatedGroup : authenticatedGroup
  return [...named, everybody]
}

/** Keys may hold what a header's name cannot, percent-encoded. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const nobodyNamed = (): Refusal =>
  new Refusal(500, 'InternalError', 'requested impersonation without impersonating a user')
