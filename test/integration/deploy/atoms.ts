import type { ClusterRole, PolicyRule, Role } from '@machinist/kube/kinds/rbac'
import type { RecordedRequest } from './recorded-request.ts'

/** The smallest permission of a role: one verb on one resource, and one name if the rule has resourceNames. */
export interface PermissionAtom {
  readonly role: AnyRole
  readonly rule: number
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string | undefined
}

export type AnyRole = Role | ClusterRole

export function atomsOf(role: AnyRole): PermissionAtom[] {
  return (role.rules ?? []).flatMap(({ verbs, apiGroups, resources, resourceNames }, rule) =>
    verbs.flatMap((verb) =>
      (apiGroups ?? []).flatMap((group) =>
        (resources ?? []).flatMap((resource) =>
          (resourceNames ?? [undefined]).map((name) => ({
            role,
            rule,
            verb,
            group,
            resource,
            name,
          })),
        ),
      ),
    ),
  )
}

/** Whether the atom allows the request. The roles of a component are bound in their own namespace only. */
export function allows(
  { role, verb, group, resource, name }: PermissionAtom,
  request: RecordedRequest,
): boolean {
  const { namespace } = role.metadata
  return (
    verb === request.verb &&
    group === request.group &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  )
}

/** The rules of the role without this atom. */
export function rulesWithout({ role, rule, verb, resource, name }: PermissionAtom): PolicyRule[] {
  const rules = role.rules ?? []
  const whole = rules[rule]!
  const { verbs, resources = [], resourceNames } = whole
  const without = (list: readonly string[], one: string | undefined): string[] =>
    list.filter((each) => each !== one)
  const rest: PolicyRule[] = [
    { ...whole, verbs: without(verbs, verb) },
    { ...whole, verbs: [verb], resources: without(resources, resource) },
    ...(resourceNames && name !== undefined
      ? [
          {
            ...whole,
            verbs: [verb],
            resources: [resource],
            resourceNames: without(resourceNames, name),
          },
        ]
      : []),
  ]
  const isEffective = (each: PolicyRule): boolean =>
    each.verbs.length > 0 &&
    (each.resources ?? []).length > 0 &&
    // Empty resourceNames would mean all names.
    (each.resourceNames === undefined || each.resourceNames.length > 0)
  return [...rules.slice(0, rule), ...rest.filter(isEffective), ...rules.slice(rule + 1)]
}

/** `ClusterRole machine-config-daemon: get machineconfigs`, `Role default/machinist-signer: list services kubernetes`. */
export function formatAtom({ role, verb, group, resource, name }: PermissionAtom): string {
  const { namespace, name: called } = role.metadata
  const place = namespace === undefined ? `ClusterRole ${called}` : `Role ${namespace}/${called}`
  return `${place}: ${[verb, group, resource, name].filter(Boolean).join(' ')}`
}
