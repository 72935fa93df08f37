import type { UserInfo } from '../identity/user-info.ts'
import { mastersGroup } from '../identity/user-info.ts'
import type { Attributes } from './attributes.ts'
import { isPath } from './attributes.ts'
import { BindingIndex, isSubject } from './binding-index.ts'
import type { AnyBinding, PolicyRule, RbacChange, RoleRef, Subject } from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'
import { RoleIndex } from './role-index.ts'
import { ruleAllows } from './rule-matching.ts'

export interface AuthorizationDecision {
  readonly allowed: boolean
  /** The binding that allows the request, or a lookup error. Often empty for a denial, as in Kubernetes. */
  readonly reason: string
}

/** RBAC over indexes of roles and bindings, so that a decision does not scan them. */
export class Authorizer {
  readonly #roles = new RoleIndex()
  readonly #bindings = new BindingIndex()

  update({ type, object }: RbacChange): void {
    const step = type === 'present' ? 'set' : 'remove'
    if (object.kind === 'Role' || object.kind === 'ClusterRole') this.#roles[step](object)
    else this.#bindings[step](object)
  }

  allowed(user: UserInfo, attributes: Attributes): AuthorizationDecision {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: '' }
    const namespace = isPath(attributes) ? '' : (attributes.namespace ?? '')
    const missing: RoleRef[] = []
    for (const grant of this.#grants(user, namespace)) {
      if (!grant.rules) missing.push(grant.binding.roleRef)
      else if (grant.rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${described(grant.binding, user)}` }
      }
    }
    return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${rolesNotFound(missing)}` }
  }

  /** All rules of the user in a namespace, cluster-wide rules included, and the roles that do not exist. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    const grants = [...this.#grants(user, namespace)]
    return {
      rules: grants.flatMap(({ rules }) => rules ?? []),
      missing: grants.filter(({ rules }) => !rules).map(({ binding }) => binding.roleRef),
    }
  }

  /** The rules that a binding to this role grants in this namespace; undefined if the role does not exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.rulesOf(role, namespace)
  }

  *#grants(user: UserInfo, namespace: string): Iterable<Grant> {
    for (const binding of this.#bindings.of(user, namespace)) {
      const scope = binding.kind === 'RoleBinding' ? namespace : ''
      yield { binding, rules: this.#roles.rulesOf(binding.roleRef, scope) }
    }
  }
}

export interface UserRules {
  readonly rules: readonly PolicyRule[]
  /** Roles that the user's bindings reference and that do not exist. */
  readonly missing: readonly RoleRef[]
}

interface Grant {
  readonly binding: AnyBinding
  readonly rules: readonly PolicyRule[] | undefined
}

/** kube-apiserver writes `clusterrole…` in reasons and `clusterroles…` in errors of writes. */
export function rolesNotFound(missing: readonly RoleRef[], plural = ''): string {
  const texts = missing.map(
    ({ kind, name }) => `${kind.toLowerCase()}${plural}.${rbacGroup} "${name}" not found`,
  )
  const different = [...new Set(texts)]
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`
}

/** `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`, as in reasons. */
function described({ kind, metadata, roleRef, subjects }: AnyBinding, user: UserInfo): string {
  const name = kind === 'RoleBinding' ? `${metadata.name}/${metadata.namespace}` : metadata.name
  const subject = (subjects ?? []).find((each) => isSubject(each, user))
  const role = `${roleRef.kind} "${roleRef.name}"`
  return `${kind} "${name}" of ${role}${subject ? ` to ${subjectText(subject)}` : ''}`
}

const subjectText = ({ kind, name, namespace }: Subject): string =>
  namespace ? `${kind} "${name}/${namespace}"` : `${kind} "${name}"`
