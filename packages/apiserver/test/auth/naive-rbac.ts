import type { UserInfo } from '../../src/identity/user-info.ts'
import type { Attributes } from '../../src/authorization/attributes.ts'
import type {
  PolicyRule,
  RbacObject,
  RoleRef,
  Subject,
} from '../../src/authorization/rbac-objects.ts'

/** Scans all objects for every decision: slow and simple. No aggregation. */
export function naivelyAllowedBy(
  objects: readonly RbacObject[],
  user: UserInfo,
  attributes: Attributes,
): string[] {
  const namespace = 'path' in attributes ? '' : (attributes.namespace ?? '')
  const allowing: string[] = []
  for (const object of objects) {
    if (object.kind !== 'RoleBinding' && object.kind !== 'ClusterRoleBinding') continue
    const clusterWide = object.kind === 'ClusterRoleBinding'
    if (!clusterWide && (namespace === '' || object.metadata.namespace !== namespace)) continue
    if (!(object.subjects ?? []).some((subject) => applies(subject, user))) continue
    const rules = findRules(objects, object.roleRef, clusterWide ? '' : namespace)
    if (rules.some((rule) => permits(rule, attributes))) allowing.push(object.metadata.name)
  }
  return allowing
}

function applies({ kind, name, namespace }: Subject, user: UserInfo): boolean {
  if (kind === 'User') return user.username === name
  if (kind === 'Group') return user.groups.some((group) => group === name)
  return user.username === ['system', 'serviceaccount', namespace, name].join(':')
}

function findRules(
  objects: readonly RbacObject[],
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] {
  for (const object of objects) {
    if (object.kind !== kind || object.metadata.name !== name) continue
    if (object.kind === 'Role' && object.metadata.namespace === namespace) return object.rules ?? []
    if (object.kind === 'ClusterRole') return object.rules ?? []
  }
  return []
}

function permits(rule: PolicyRule, attributes: Attributes): boolean {
  const has = (list: readonly string[] = [], ...values: string[]): boolean =>
    list.some((item) => values.includes(item))
  if (!has(rule.verbs, '*', attributes.verb)) return false
  if ('path' in attributes) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*')
        ? attributes.path.startsWith(url.slice(0, url.indexOf('*', url.search(/\*+$/))))
        : url === attributes.path,
    )
  }
  const { group, resource, subresource, name = '' } = attributes
  const resources = subresource ? [`${resource}/${subresource}`, `*/${subresource}`] : [resource]
  if (!has(rule.apiGroups, '*', group) || !has(rule.resources, '*', ...resources)) return false
  return (rule.resourceNames ?? []).length === 0 || has(rule.resourceNames, name)
}
