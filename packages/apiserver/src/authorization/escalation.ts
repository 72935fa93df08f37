import { sameJson } from '@machinist/core/json'
import type { UserInfo } from '../authentication/user-info.ts'
import { mastersGroup } from '../authentication/user-info.ts'
import type { Refusal } from '../refusal.ts'
import { notFound } from '../refusal.ts'
import type { Authorizer } from './authorizer.ts'
import { rolesNotFound } from './authorizer.ts'
import { forbiddenObject } from './forbidden.ts'
import { goList } from './go-list.ts'
import { missingRights } from './missing-rights.ts'
import type { AnyBinding, AnyRole, PolicyRule } from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'

/** A role or binding that somebody wants to write. */
export interface GrantWrite<T extends AnyRole | AnyBinding> {
  readonly user: UserInfo
  readonly object: T
  /** What is there now; absent when it is created. */
  readonly before?: T
}

/**
 * Nobody may write a role with rights that they do not have themselves, unless they may `escalate` it.
 * Undefined: the write may go on.
 */
export function refusedRole(
  authorizer: Authorizer,
  { user, object, before }: GrantWrite<AnyRole>,
): Refusal | undefined {
  if (user.groups.includes(mastersGroup) || touchesNoRights(object, before)) return undefined
  const place = placeOf(object)
  // The server looks at the name in the request's path, and a create has none there.
  const name = before ? object.metadata.name : ''
  const escalation = { verb: 'escalate', ...place, name }
  if (authorizer.allowed(user, escalation).allowed) return undefined
  const refusal = refusedRules(authorizer, user, object, object.rules ?? [])
  if (refusal) return refusal
  if (!aggregates(object) && !(before && aggregates(before))) return undefined
  return refusedRules(authorizer, user, object, everything) && forbiddenObject(place, onlyForAdmins)
}

/** Nobody may bind a role with rights that they do not have themselves, unless they may `bind` it. */
export function refusedBinding(
  authorizer: Authorizer,
  { user, object, before }: GrantWrite<AnyBinding>,
): Refusal | undefined {
  if (user.groups.includes(mastersGroup) || touchesNoRights(object, before)) return undefined
  const { roleRef } = object
  const place = placeOf(object)
  const role = roleRef.kind === 'Role' ? 'roles' : 'clusterroles'
  const bind = { ...place, verb: 'bind', resource: role, name: roleRef.name }
  if (authorizer.allowed(user, bind).allowed) return undefined
  const rules = authorizer.rulesOf(roleRef, place.namespace)
  // The real server names the binding's resource and the role's name here; clients may rely on it.
  if (!rules) return notFound({ ...place, kind: object.kind, name: roleRef.name })
  return refusedRules(authorizer, user, object, rules)
}

const onlyForAdmins = 'must have cluster-admin privileges to use the aggregationRule'

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function refusedRules(
  authorizer: Authorizer,
  user: UserInfo,
  object: AnyRole | AnyBinding,
  rules: readonly PolicyRule[],
): Refusal | undefined {
  const place = placeOf(object)
  const owned = authorizer.rulesFor(user, place.namespace)
  const missing = missingRights(owned.rules, rules)
  if (missing.length === 0) return undefined
  const who = `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)})`
  const doubts =
    owned.missing.length > 0 ? `; resolution errors: [${rolesNotFound(owned.missing, 's')}]` : ''
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${doubts}`
  return forbiddenObject(place, why)
}

interface Place {
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly namespace: string
}

function placeOf({ kind, metadata }: AnyRole | AnyBinding): Place {
  const clusterWide = kind === 'ClusterRole' || kind === 'ClusterRoleBinding'
  return {
    group: rbacGroup,
    resource: `${kind.toLowerCase()}s`,
    name: metadata.name,
    namespace: clusterWide ? '' : (metadata.namespace ?? ''),
  }
}

const aggregates = (role: AnyRole): boolean =>
  role.kind === 'ClusterRole' && (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0

/** The garbage collector must be able to take finalizers and owners off objects that it could never have granted. */
function touchesNoRights(
  object: AnyRole | AnyBinding,
  before: AnyRole | AnyBinding | undefined,
): boolean {
  return before !== undefined && sameJson(withoutBookkeeping(object), withoutBookkeeping(before))
}

function withoutBookkeeping(object: AnyRole | AnyBinding): unknown {
  const cleared = { finalizers: null, ownerReferences: null, managedFields: null }
  return { ...object, metadata: { ...object.metadata, ...cleared } }
}
