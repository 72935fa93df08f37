import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Authorizer } from './authorizer.ts'
import { defaultClusterRoleBindings } from './default-bindings.ts'
import { defaultClusterRoles } from './default-roles.ts'
import { bindingEscalationError, roleEscalationError } from './escalation.ts'
import { missingPermissions } from './missing-permissions.ts'
import type {
  AnyBinding,
  AnyRole,
  ClusterRole,
  PolicyRule,
  RbacObject,
  Subject,
} from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'

const eve = { username: 'eve', groups: ['system:authenticated'] }
const dang = { username: 'dang', groups: ['system:authenticated'] }

const rule = (verbs: string, group: string, resources: string, names?: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [group],
  resources: resources.split(' '),
  ...(names !== undefined && { resourceNames: names.split(' ') }),
})
const clusterRole = (name: string, ...rules: PolicyRule[]): ClusterRole => ({
  kind: 'ClusterRole',
  metadata: { name },
  rules,
})
const bound = (name: string, role: string, ...users: string[]): AnyBinding => ({
  kind: 'ClusterRoleBinding',
  metadata: { name },
  subjects: users.map((user): Subject => ({ kind: 'User', name: user })),
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
})
const boundIn = (namespace: string, name: string, kind: string, role: string): AnyBinding => ({
  kind: 'RoleBinding',
  metadata: { name, namespace },
  subjects: [],
  roleRef: { apiGroup: rbacGroup, kind, name: role },
})

const rbacResources = 'roles clusterroles rolebindings clusterrolebindings'
const world: readonly RbacObject[] = [
  ...defaultClusterRoles(),
  ...defaultClusterRoleBindings(),
  clusterRole('roler', rule('create update patch get list', rbacGroup, rbacResources)),
  clusterRole('podget', rule('get list', '', 'pods')),
  bound('roler', 'roler', 'eve'),
  bound('podget', 'podget', 'eve'),
  bound('dang', 'nowhere', 'dang'),
]

function authorizerWith(...more: readonly RbacObject[]): Authorizer {
  const authorizer = new Authorizer()
  for (const object of [...world, ...more]) authorizer.update({ type: 'present', object })
  return authorizer
}

const start =
  'user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:'

describe('a user who writes a role', () => {
  const greedy = clusterRole(
    'x1',
    rule('get delete', '', 'pods secrets'),
    rule('*', 'apps', 'deployments', 'a b'),
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  )

  it('must have its permissions: missing ones are listed as in kube-apiserver', () => {
    const error = roleEscalationError(authorizerWith(), { user: eve, object: greedy })
    expect(error?.message).toBe(
      [
        `clusterroles.rbac.authorization.k8s.io "x1" is forbidden: ${start}`,
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["*"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["*"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n'),
    )
    expect(error).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { name: 'x1', group: 'rbac.authorization.k8s.io', kind: 'clusterroles' },
    })
  })

  it('must have them in the namespace of the role', () => {
    const object: AnyRole = {
      kind: 'Role',
      metadata: { name: 'x1', namespace: 'demo' },
      rules: [rule('get delete', '', 'pods')],
    }
    expect(roleEscalationError(authorizerWith(), { user: eve, object })?.message).toBe(
      `roles.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
    )
    const local: AnyBinding = {
      ...boundIn('demo', 'local', 'ClusterRole', 'cluster-admin'),
      subjects: [{ kind: 'User', name: 'eve' }],
    }
    expect(roleEscalationError(authorizerWith(local), { user: eve, object })).toBeUndefined()
    const elsewhere = { ...object, metadata: { ...object.metadata, namespace: 'other' } }
    expect(roleEscalationError(authorizerWith(local), { user: eve, object: elsewhere })?.code).toBe(
      403,
    )
  })

  it('is shown which of the own roles do not exist', () => {
    const object = clusterRole('x9', rule('get', '', 'pods'), rule('get list', '', 'pods'))
    expect(roleEscalationError(authorizerWith(), { user: dang, object })?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "x9" is forbidden: user "dang" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "get" "list"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "nowhere" not found]',
    )
  })

  it('succeeds with escalate, as an administrator, or with own permissions', () => {
    const escalate = clusterRole('escalator', rule('escalate', rbacGroup, 'clusterroles'))
    const allowed = authorizerWith(escalate, bound('escalator', 'escalator', 'eve'))
    expect(roleEscalationError(allowed, { user: eve, object: greedy })).toBeUndefined()
    const root = { username: 'root', groups: ['system:masters'] }
    expect(roleEscalationError(authorizerWith(), { user: root, object: greedy })).toBeUndefined()
    const modest = clusterRole('x', rule('list', '', 'pods'))
    expect(roleEscalationError(authorizerWith(), { user: eve, object: modest })).toBeUndefined()
  })

  it('needs all permissions to set an aggregationRule', () => {
    const object: ClusterRole = {
      ...clusterRole('x2'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    }
    const error = roleEscalationError(authorizerWith(), { user: eve, object })
    expect(error?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "x2" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
    const admin = authorizerWith(bound('eve-admin', 'cluster-admin', 'eve'))
    expect(roleEscalationError(admin, { user: eve, object })).toBeUndefined()
    // Removing the aggregation keeps aggregated permissions: the same permissions are required.
    const write = { user: eve, object: clusterRole('x2'), before: object }
    expect(roleEscalationError(authorizerWith(), write)?.code).toBe(403)
  })

  it('can remove finalizers from any role', () => {
    const before = { ...greedy, metadata: { name: 'x1', finalizers: ['a/b'] } }
    const write = { user: eve, object: greedy, before }
    expect(roleEscalationError(authorizerWith(), write)).toBeUndefined()
    const relabelled = { ...greedy, metadata: { name: 'x1', labels: { a: 'b' } } }
    expect(roleEscalationError(authorizerWith(), { ...write, object: relabelled })?.code).toBe(403)
  })
})

describe('a user who writes a binding', () => {
  it('must have the permissions of its role', () => {
    const error = bindingEscalationError(authorizerWith(), {
      user: eve,
      object: bound('x1', 'cluster-admin', 'eve'),
    })
    expect(error?.message).toBe(
      `clusterrolebindings.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    )
    const local = boundIn('demo', 'x1', 'ClusterRole', 'system:node-bootstrapper')
    expect(bindingEscalationError(authorizerWith(), { user: eve, object: local })?.message).toBe(
      `rolebindings.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:["certificates.k8s.io"], Resources:["certificatesigningrequests"], Verbs:["create" "get" "list" "watch"]}`,
    )
    const held = boundIn('demo', 'x2', 'ClusterRole', 'system:discovery')
    expect(bindingEscalationError(authorizerWith(), { user: eve, object: held })).toBeUndefined()
  })

  it('gets an error if the role does not exist', () => {
    const nope = bindingEscalationError(authorizerWith(), {
      user: eve,
      object: bound('x1', 'nope'),
    })
    expect(nope).toMatchObject({
      code: 404,
      message: 'clusterrolebindings.rbac.authorization.k8s.io "nope" not found',
      details: { name: 'nope', group: 'rbac.authorization.k8s.io', kind: 'clusterrolebindings' },
    })
    const object = boundIn('demo', 'x1', 'Role', 'nope')
    expect(bindingEscalationError(authorizerWith(), { user: eve, object })?.message).toBe(
      'rolebindings.rbac.authorization.k8s.io "nope" not found',
    )
  })

  it('succeeds with bind for that role', () => {
    const binder = clusterRole('binder', rule('bind', rbacGroup, 'clusterroles', 'edit'))
    const authorizer = authorizerWith(binder, bound('binder', 'binder', 'eve'))
    const object = bound('x', 'edit', 'joe')
    expect(bindingEscalationError(authorizer, { user: eve, object })).toBeUndefined()
    const other = bound('x', 'admin', 'joe')
    expect(bindingEscalationError(authorizer, { user: eve, object: other })?.code).toBe(403)
  })
})

describe('missing permissions', () => {
  const list = (...values: string[]): fc.Arbitrary<string[]> =>
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
  const rules = fc.array(
    fc.oneof(
      fc.record({
        verbs: list('get', 'list', '*'),
        apiGroups: list('', 'apps', '*'),
        resources: list('pods', 'pods/log', '*/log', '*'),
        resourceNames: fc.oneof(fc.constant([]), list('a', 'b')),
      }),
      fc.record({ verbs: list('get', '*'), nonResourceURLs: list('/a', '/a/*', '*') }),
    ),
    { maxLength: 4 },
  )

  it('exclude owned ones, and decrease with more owned ones', () => {
    fc.assert(
      fc.property(rules, rules, rules, (owned, granted, more) => {
        expect(missingPermissions([...owned, ...granted], granted)).toEqual([])
        const missing = missingPermissions(owned, granted)
        const fewer = missingPermissions([...owned, ...more], granted)
        expect(missing.length === 0 && fewer.length > 0).toBe(false)
        const all = [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ]
        expect(missingPermissions(all, granted)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('are not hidden by a rule for named objects', () => {
    const named = rule('get', '', 'pods', 'a')
    expect(missingPermissions([named], [rule('get', '', 'pods')])).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ])
    expect(
      missingPermissions([rule('get', '', '*/log')], [rule('get', '', 'pods/log pods')]),
    ).toEqual(['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'])
  })
})
