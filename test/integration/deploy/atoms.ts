import type { ClusterRole, PolicyRule, Role } from '@machinist/kube/kinds/rbac'
import type { Recorded } from './recorded.ts'

/** The least that a role can give: one verb on one resource, and where names are given, on one of them. */
export interface Atom {
  readonly role: AnyRole
  readonly rule: number
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string | undefined
}

export type AnyRole = Role | ClusterRole

export function atomsOf(role: AnyRole): Atom[] {
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

/** Whether the atom allows the request. Roles of a component are bound where they are, and nowhere else. */
export function allows({ role, verb, group, resource, name }: Atom, request: Recorded): boolean {
  const { namespace } = role.metadata
  return (
    verb === request.verb &&
    group === request.group &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  )
}

/** The rules of the role with everything but this. */
export function rulesWithout({ role, rule, verb, resource, name }: Atom): PolicyRule[] {
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
  const says = (each: PolicyRule): boolean =>
    each.verbs.length > 0 &&
    (each.resources ?? []).length > 0 &&
    // No names at all would mean all names.
    (each.resourceNames === undefined || each.resourceNames.length > 0)
  return [...rules.slice(0, rule), ...rest.filter(says), ...rules.slice(rule + 1)]
}

/** `ClusterRole machine-config-daemon: get machineconfigs`, `Role default/machinist-signer: list services kubernetes`. */
export function atomInWords({ role, verb, group, resource, name }: Atom): string {
  const { namespace, name: called } = role.metadata
  const place = namespace === undefined ? `ClusterRole ${called}` : `Role ${namespace}/${called}`
  return `${place}: ${[verb, group, resource, name].filter(Boolean).join(' ')}`
}
