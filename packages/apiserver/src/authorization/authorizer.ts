import type { UserInfo } from '../authentication/user-info.ts'
import { mastersGroup } from '../authentication/user-info.ts'
import type { Attributes } from './attributes.ts'
import { isPath } from './attributes.ts'
import { BindingIndex, isSubject } from './binding-index.ts'
import type { AnyBinding, PolicyRule, RbacChange, RoleRef, Subject } from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'
import { RoleIndex } from './role-index.ts'
import { ruleAllows } from './rule-matching.ts'

export interface Decision {
  readonly allowed: boolean
  /** Which binding allows it, or what was missing while looking. Often empty for a no, as in Kubernetes. */
  readonly reason: string
}

/** Role-based access control over an index that follows the objects: no request looks through all of them. */
export class Authorizer {
  readonly #roles = new RoleIndex()
  readonly #bindings = new BindingIndex()

  update({ type, object }: RbacChange): void {
    const step = type === 'present' ? 'set' : 'remove'
    if (object.kind === 'Role' || object.kind === 'ClusterRole') this.#roles[step](object)
    else this.#bindings[step](object)
  }

  allowed(user: UserInfo, attributes: Attributes): Decision {
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

  /** Everything that the user may do in a namespace, cluster-wide rights included, and which roles are not there. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    const grants = [...this.#grants(user, namespace)]
    return {
      rules: grants.flatMap(({ rules }) => rules ?? []),
      missing: grants.filter(({ rules }) => !rules).map(({ binding }) => binding.roleRef),
    }
  }

  /** The rules of a role as a binding in this namespace would grant them; undefined if there is no such role. */
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
  /** Roles that bindings of the user point at and that do not exist. */
  readonly missing: readonly RoleRef[]
}

interface Grant {
  readonly binding: AnyBinding
  readonly rules: readonly PolicyRule[] | undefined
}

/** The server says `clusterrole…` in reasons and `clusterroles…` in refusals of a write. */
export function rolesNotFound(missing: readonly RoleRef[], plural = ''): string {
  const said = missing.map(
    ({ kind, name }) => `${kind.toLowerCase()}${plural}.${rbacGroup} "${name}" not found`,
  )
  const different = [...new Set(said)]
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`
}

/** `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`: how a reason names what allowed it. */
function described({ kind, metadata, roleRef, subjects }: AnyBinding, user: UserInfo): string {
  const name = kind === 'RoleBinding' ? `${metadata.name}/${metadata.namespace}` : metadata.name
  const subject = (subjects ?? []).find((each) => isSubject(each, user))
  const role = `${roleRef.kind} "${roleRef.name}"`
  return `${kind} "${name}" of ${role}${subject ? ` to ${subjectText(subject)}` : ''}`
}

const subjectText = ({ kind, name, namespace }: Subject): string =>
  namespace ? `${kind} "${name}/${namespace}"` : `${kind} "${name}"`
