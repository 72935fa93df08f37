import { sameJson } from '@machinist/core/encoding/json'
import type { UserInfo } from '../identity/user-info.ts'
import { mastersGroup } from '../identity/user-info.ts'
import type { StatusError } from '../status/status-error.ts'
import { notFound } from '../status/status-error.ts'
import { goList } from '../go/list-text.ts'
import type { Authorizer } from './authorizer.ts'
import { rolesNotFound } from './authorizer.ts'
import { forbiddenObject } from './forbidden.ts'
import { missingPermissions } from './missing-permissions.ts'
import type { AnyBinding, AnyRole, PolicyRule } from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'

/** A role or binding to be written. */
export interface GrantWrite<T extends AnyRole | AnyBinding> {
  readonly user: UserInfo
  readonly object: T
  /** The stored object; absent for a creation. */
  readonly before?: T
}

/**
 * A user cannot write a role with permissions that the user does not have, unless allowed to `escalate` it. Undefined
 * if the write is allowed.
 */
export function roleEscalationError(
  authorizer: Authorizer,
  { user, object, before }: GrantWrite<AnyRole>,
): StatusError | undefined {
  if (user.groups.includes(mastersGroup) || keepsPermissions(object, before)) return undefined
  const place = placeOf(object)
  // kube-apiserver checks the name in the request path, which a create does not have.
  const name = before ? object.metadata.name : ''
  const escalation = { verb: 'escalate', ...place, name }
  if (authorizer.allowed(user, escalation).allowed) return undefined
  const error = escalationError(authorizer, user, object, object.rules ?? [])
  if (error) return error
  if (!aggregates(object) && !(before && aggregates(before))) return undefined
  return (
    escalationError(authorizer, user, object, everything) && forbiddenObject(place, onlyForAdmins)
  )
}

/** A user cannot bind a role with permissions that the user does not have, unless allowed to `bind` it. */
export function bindingEscalationError(
  authorizer: Authorizer,
  { user, object, before }: GrantWrite<AnyBinding>,
): StatusError | undefined {
  if (user.groups.includes(mastersGroup) || keepsPermissions(object, before)) return undefined
  const { roleRef } = object
  const place = placeOf(object)
  const role = roleRef.kind === 'Role' ? 'roles' : 'clusterroles'
  const bind = { ...place, verb: 'bind', resource: role, name: roleRef.name }
  if (authorizer.allowed(user, bind).allowed) return undefined
  const rules = authorizer.rulesOf(roleRef, place.namespace)
  // kube-apiserver reports the binding's resource with the role's name here; clients may rely on it.
  if (!rules) return notFound({ ...place, kind: object.kind, name: roleRef.name })
  return escalationError(authorizer, user, object, rules)
}

const onlyForAdmins = 'must have cluster-admin privileges to use the aggregationRule'

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function escalationError(
  authorizer: Authorizer,
  user: UserInfo,
  object: AnyRole | AnyBinding,
  rules: readonly PolicyRule[],
): StatusError | undefined {
  const place = placeOf(object)
  const owned = authorizer.rulesFor(user, place.namespace)
  const missing = missingPermissions(owned.rules, rules)
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

/**
 * The garbage collector must be able to remove finalizers and owners from roles whose permissions it does not have.
 */
function keepsPermissions(
  object: AnyRole | AnyBinding,
  before: AnyRole | AnyBinding | undefined,
): boolean {
  return before !== undefined && sameJson(withoutBookkeeping(object), withoutBookkeeping(before))
}

function withoutBookkeeping(object: AnyRole | AnyBinding): unknown {
  const cleared = { finalizers: null, ownerReferences: null, managedFields: null }
  return { ...object, metadata: { ...object.metadata, ...cleared } }
}
