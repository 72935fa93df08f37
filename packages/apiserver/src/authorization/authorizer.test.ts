import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserInfo } from '../identity/user-info.ts'
import { naivelyAllowedBy } from '../../test/auth/naive-rbac.ts'
import type { Attributes } from './attributes.ts'
import { Authorizer } from './authorizer.ts'
import { defaultClusterRoleBindings } from './default-bindings.ts'
import { defaultClusterRoles } from './default-roles.ts'
import type { ClusterRole, PolicyRule, RbacObject } from './rbac-objects.ts'

const some = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
const list = (...values: string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(some(...values), { maxLength: 3 })

const resourceRules: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: list('get', 'list', 'update', '*'),
  apiGroups: list('', 'apps', '*'),
  resources: list('pods', 'pods/log', '*/scale', 'nodes', '*'),
  resourceNames: fc.oneof(fc.constant([]), list('a', 'b')),
})
const urlRules: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: list('get', '*'),
  nonResourceURLs: list('/metrics', '/api/*', '/a*', '*', '/b**'),
})
const rules = fc.array(fc.oneof(resourceRules, urlRules), { maxLength: 3 })
const names = some('one', 'two', 'three')
const spaces = some('blue', 'green')
const subjects = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('User'), name: some('jane', 'joe') }),
    fc.record({ kind: fc.constant('Group'), name: some('staff', 'ops') }),
    fc.record({ kind: fc.constant('ServiceAccount'), name: some('bot'), namespace: spaces }),
  ),
  { maxLength: 3 },
)

const objects: fc.Arbitrary<RbacObject> = fc.oneof(
  fc.record({
    kind: fc.constant('Role' as const),
    metadata: fc.record({ name: names, namespace: spaces }),
    rules,
  }),
  fc.record({
    kind: fc.constant('ClusterRole' as const),
    metadata: fc.record({ name: names }),
    rules,
  }),
  fc.record({
    kind: fc.constant('RoleBinding' as const),
    metadata: fc.record({ name: names, namespace: spaces }),
    subjects,
    roleRef: fc.record({ kind: some('Role', 'ClusterRole'), name: names }),
  }),
  fc.record({
    kind: fc.constant('ClusterRoleBinding' as const),
    metadata: fc.record({ name: names }),
    subjects,
    roleRef: fc.record({ kind: fc.constant('ClusterRole'), name: names }),
  }),
)

const users: fc.Arbitrary<UserInfo> = fc.record({
  username: some(
    'jane',
    'joe',
    'system:serviceaccount:blue:bot',
    'system:serviceaccount:green:bot',
  ),
  groups: list('staff', 'ops'),
})
const wishes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record(
    {
      verb: some('get', 'list', 'update'),
      group: some('', 'apps'),
      resource: some('pods', 'nodes'),
      subresource: some('log', 'scale', ''),
      name: some('a', 'b', 'c'),
      namespace: some('blue', 'green', ''),
    },
    { requiredKeys: ['verb', 'group', 'resource'] },
  ),
  fc.record({ verb: some('get', 'post'), path: some('/metrics', '/api/v1', '/abc', '/b', '/') }),
)

const keyOf = ({ kind, metadata }: RbacObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name}`

function authorizerOf(...present: readonly RbacObject[]): Authorizer {
  const authorizer = new Authorizer()
  for (const object of present) authorizer.update({ type: 'present', object })
  return authorizer
}

describe('the authorizer', () => {
  const changes = fc.array(
    fc.record({ type: some('present', 'present', 'removed'), object: objects }),
    {
      maxLength: 30,
    },
  )

  it('decides like a full scan, after any changes', () => {
    fc.assert(
      fc.property(
        changes,
        users,
        fc.array(wishes, { minLength: 1, maxLength: 8 }),
        (all, user, requested) => {
          const authorizer = new Authorizer()
          const present = new Map<string, RbacObject>()
          for (const { type, object } of all) {
            authorizer.update({ type: type as 'present' | 'removed', object })
            if (type === 'present') present.set(keyOf(object), object)
            else present.delete(keyOf(object))
            // Decisions in between must not leave stale state.
            authorizer.allowed(user, requested[0]!)
          }
          for (const attributes of requested) {
            const naively = naivelyAllowedBy([...present.values()], user, attributes)
            expect(authorizer.allowed(user, attributes).allowed).toBe(naively.length > 0)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('never removes a permission when a binding is added', () => {
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'))
    fc.assert(
      fc.property(
        fc.uniqueArray(objects, { selector: keyOf, maxLength: 12 }),
        bindings,
        users,
        wishes,
        (before, added, user, attributes) => {
          fc.pre(!before.some((object) => keyOf(object) === keyOf(added)))
          const had = authorizerOf(...before).allowed(user, attributes).allowed
          expect(had && !authorizerOf(...before, added).allowed(user, attributes).allowed).toBe(
            false,
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('does not depend on the order of changes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(objects, { selector: keyOf, maxLength: 12 }),
        users,
        wishes,
        (all, user, attributes) => {
          expect(authorizerOf(...all.toReversed()).allowed(user, attributes)).toEqual(
            authorizerOf(...all).allowed(user, attributes),
          )
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('an administrator', () => {
  it('is allowed everything without a role', () => {
    const root = { username: 'root', groups: ['system:masters'] }
    const attributes = { verb: 'delete', group: '', resource: 'nodes', name: 'n1' }
    expect(new Authorizer().allowed(root, attributes)).toEqual({ allowed: true, reason: '' })
  })
})

describe('an aggregating cluster role', () => {
  const reader: UserInfo = { username: 'jane', groups: [] }
  const get = (resource: string): Attributes => ({
    verb: 'get',
    group: 'machineconfiguration.openshift.io',
    resource,
    namespace: 'blue',
  })
  const viewBinding: RbacObject = {
    kind: 'ClusterRoleBinding',
    metadata: { name: 'janes' },
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { kind: 'ClusterRole', name: 'admin' },
  }
  const extra = (to: string): ClusterRole => ({
    kind: 'ClusterRole',
    metadata: {
      name: 'pools-viewer',
      labels: { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' },
    },
    rules: [
      {
        verbs: ['get'],
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools'],
      },
    ],
  })

  it('has the rules of the selected roles, also indirectly, and loses them again', () => {
    const authorizer = authorizerOf(
      ...defaultClusterRoles(),
      ...defaultClusterRoleBindings(),
      viewBinding,
    )
    const allowed = (): boolean => authorizer.allowed(reader, get('machineconfigpools')).allowed
    expect(allowed()).toBe(false)
    authorizer.update({ type: 'present', object: extra('view') })
    expect(allowed()).toBe(true)
    authorizer.update({ type: 'present', object: extra('nobody') })
    expect(allowed()).toBe(false)
    authorizer.update({ type: 'present', object: extra('edit') })
    expect(allowed()).toBe(true)
    authorizer.update({ type: 'removed', object: extra('edit') })
    expect(allowed()).toBe(false)
  })

  it('gives admin the permissions of edit and view', () => {
    const authorizer = authorizerOf(...defaultClusterRoles(), viewBinding)
    const may = (verb: string, group: string, resource: string): boolean =>
      authorizer.allowed(reader, { verb, group, resource, namespace: 'blue' }).allowed
    expect(may('get', '', 'pods')).toBe(true)
    expect(may('create', 'apps', 'deployments')).toBe(true)
    expect(may('create', 'rbac.authorization.k8s.io', 'rolebindings')).toBe(true)
    expect(may('get', '', 'nodes')).toBe(false)
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'view' }, '')).toHaveLength(10)
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'edit' }, '')).toHaveLength(23)
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'admin' }, '')).toHaveLength(25)
  })

  it('can be part of a cycle', () => {
    const ring = (name: string, from: string): ClusterRole => ({
      kind: 'ClusterRole',
      metadata: { name, labels: { in: name } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { in: from } }] },
    })
    const leaf: ClusterRole = {
      kind: 'ClusterRole',
      metadata: { name: 'leaf', labels: { in: 'a' } },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    }
    const authorizer = authorizerOf(ring('a', 'b'), ring('b', 'a'), leaf)
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'b' }, '')).toEqual(leaf.rules)
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'a' }, '')).toEqual(leaf.rules)
  })

  it('with an invalid selector selects nothing', () => {
    const broken: ClusterRole = {
      kind: 'ClusterRole',
      metadata: { name: 'broken' },
      aggregationRule: {
        clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }],
      },
    }
    const authorizer = authorizerOf(broken, ...defaultClusterRoles())
    expect(authorizer.rulesOf({ kind: 'ClusterRole', name: 'broken' }, '')).toEqual([])
  })
})
