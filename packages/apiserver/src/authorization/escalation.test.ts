import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Authorizer } from './authorizer.ts'
import { defaultClusterRoleBindings } from './default-bindings.ts'
import { defaultClusterRoles } from './default-roles.ts'
import { refusedBinding, refusedRole } from './escalation.ts'
import { missingRights } from './missing-rights.ts'
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

describe('who writes a role', () => {
  const greedy = clusterRole(
    'x1',
    rule('get delete', '', 'pods secrets'),
    rule('*', 'apps', 'deployments', 'a b'),
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  )

  it('must have its rights: the missing ones are listed as the real server does', () => {
    const refusal = refusedRole(authorizerWith(), { user: eve, object: greedy })
    expect(refusal?.message).toBe(
      [
        `clusterroles.rbac.authorization.k8s.io "x1" is forbidden: ${start}`,
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["*"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["*"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n'),
    )
    expect(refusal).toMatchObject({
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
    expect(refusedRole(authorizerWith(), { user: eve, object })?.message).toBe(
      `roles.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
    )
    const local: AnyBinding = {
      ...boundIn('demo', 'local', 'ClusterRole', 'cluster-admin'),
      subjects: [{ kind: 'User', name: 'eve' }],
    }
    expect(refusedRole(authorizerWith(local), { user: eve, object })).toBeUndefined()
    const elsewhere = { ...object, metadata: { ...object.metadata, namespace: 'other' } }
    expect(refusedRole(authorizerWith(local), { user: eve, object: elsewhere })?.code).toBe(403)
  })

  it('hears as well which of their own roles are not there', () => {
    const object = clusterRole('x9', rule('get', '', 'pods'), rule('get list', '', 'pods'))
    expect(refusedRole(authorizerWith(), { user: dang, object })?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "x9" is forbidden: user "dang" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "get" "list"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "nowhere" not found]',
    )
  })

  it('may go on with escalate, as an administrator, or with rights of their own', () => {
    const escalate = clusterRole('escalator', rule('escalate', rbacGroup, 'clusterroles'))
    const allowed = authorizerWith(escalate, bound('escalator', 'escalator', 'eve'))
    expect(refusedRole(allowed, { user: eve, object: greedy })).toBeUndefined()
    const root = { username: 'root', groups: ['system:masters'] }
    expect(refusedRole(authorizerWith(), { user: root, object: greedy })).toBeUndefined()
    const modest = clusterRole('x', rule('list', '', 'pods'))
    expect(refusedRole(authorizerWith(), { user: eve, object: modest })).toBeUndefined()
  })

  it('needs every right to let a role collect others', () => {
    const object: ClusterRole = {
      ...clusterRole('x2'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    }
    const refusal = refusedRole(authorizerWith(), { user: eve, object })
    expect(refusal?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "x2" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
    const admin = authorizerWith(bound('eve-admin', 'cluster-admin', 'eve'))
    expect(refusedRole(admin, { user: eve, object })).toBeUndefined()
    // Taking the collecting away keeps rights that may have been collected: the same is needed.
    const write = { user: eve, object: clusterRole('x2'), before: object }
    expect(refusedRole(authorizerWith(), write)?.code).toBe(403)
  })

  it('may take finalizers off whatever the role grants', () => {
    const before = { ...greedy, metadata: { name: 'x1', finalizers: ['a/b'] } }
    const write = { user: eve, object: greedy, before }
    expect(refusedRole(authorizerWith(), write)).toBeUndefined()
    const relabelled = { ...greedy, metadata: { name: 'x1', labels: { a: 'b' } } }
    expect(refusedRole(authorizerWith(), { ...write, object: relabelled })?.code).toBe(403)
  })
})

describe('who writes a binding', () => {
  it('must have the rights of its role', () => {
    const refusal = refusedBinding(authorizerWith(), {
      user: eve,
      object: bound('x1', 'cluster-admin', 'eve'),
    })
    expect(refusal?.message).toBe(
      `clusterrolebindings.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    )
    const local = boundIn('demo', 'x1', 'ClusterRole', 'system:node-bootstrapper')
    expect(refusedBinding(authorizerWith(), { user: eve, object: local })?.message).toBe(
      `rolebindings.rbac.authorization.k8s.io "x1" is forbidden: ${start}\n{APIGroups:["certificates.k8s.io"], Resources:["certificatesigningrequests"], Verbs:["create" "get" "list" "watch"]}`,
    )
    const held = boundIn('demo', 'x2', 'ClusterRole', 'system:discovery')
    expect(refusedBinding(authorizerWith(), { user: eve, object: held })).toBeUndefined()
  })

  it('hears it when there is no such role', () => {
    const nope = refusedBinding(authorizerWith(), { user: eve, object: bound('x1', 'nope') })
    expect(nope).toMatchObject({
      code: 404,
      message: 'clusterrolebindings.rbac.authorization.k8s.io "nope" not found',
      details: { name: 'nope', group: 'rbac.authorization.k8s.io', kind: 'clusterrolebindings' },
    })
    const object = boundIn('demo', 'x1', 'Role', 'nope')
    expect(refusedBinding(authorizerWith(), { user: eve, object })?.message).toBe(
      'rolebindings.rbac.authorization.k8s.io "nope" not found',
    )
  })

  it('may go on with bind for that role', () => {
    const binder = clusterRole('binder', rule('bind', rbacGroup, 'clusterroles', 'edit'))
    const authorizer = authorizerWith(binder, bound('binder', 'binder', 'eve'))
    const object = bound('x', 'edit', 'joe')
    expect(refusedBinding(authorizer, { user: eve, object })).toBeUndefined()
    const other = bound('x', 'admin', 'joe')
    expect(refusedBinding(authorizer, { user: eve, object: other })?.code).toBe(403)
  })
})

describe('missing rights', () => {
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

  it('are none of what somebody has, and fewer the more they have', () => {
    fc.assert(
      fc.property(rules, rules, rules, (owned, granted, more) => {
        expect(missingRights([...owned, ...granted], granted)).toEqual([])
        const missing = missingRights(owned, granted)
        const fewer = missingRights([...owned, ...more], granted)
        expect(missing.length === 0 && fewer.length > 0).toBe(false)
        const all = [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ]
        expect(missingRights(all, granted)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('are not hidden by a rule for some objects only', () => {
    const named = rule('get', '', 'pods', 'a')
    expect(missingRights([named], [rule('get', '', 'pods')])).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ])
    expect(missingRights([rule('get', '', '*/log')], [rule('get', '', 'pods/log pods')])).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ])
  })
})
