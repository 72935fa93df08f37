import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { accessReview, localAccessReview, selfAccessReview } from './access-reviews.ts'
import { Authorizer } from './authorizer.ts'
import { defaultClusterRoleBindings } from './default-bindings.ts'
import { defaultClusterRoles } from './default-roles.ts'
import type { RbacObject } from './rbac-objects.ts'
import { selfRulesReview } from './rules-review.ts'

const podget: RbacObject[] = [
  {
    kind: 'ClusterRole',
    metadata: { name: 'podget' },
    rules: [
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
    ],
  },
  {
    kind: 'ClusterRoleBinding',
    metadata: { name: 'podget' },
    subjects: [{ kind: 'User', name: 'eve' }],
    roleRef: { kind: 'ClusterRole', name: 'podget' },
  },
]
const authorizer = new Authorizer()
for (const object of [...defaultClusterRoles(), ...defaultClusterRoleBindings(), ...podget]) {
  authorizer.update({ type: 'present', object })
}
const eve = { username: 'eve', groups: ['system:authenticated'] }
const getPods = { verb: 'get', resource: 'pods', namespace: 'demo' }
const yes = {
  allowed: true,
  reason: 'RBAC: allowed by ClusterRoleBinding "podget" of ClusterRole "podget" to User "eve"',
}

/** The error of a real kube-apiserver. */
function invalid(field: string, message: string): object {
  return {
    code: 422,
    reason: 'Invalid',
    message: `.authorization.k8s.io "" is invalid: ${field}: ${message}`,
    details: {
      group: 'authorization.k8s.io',
      causes: [{ reason: 'FieldValueInvalid', message, field }],
    },
  }
}

describe('an access review', () => {
  it('is allowed with a reason, and denied without', () => {
    expect(accessReview(authorizer, { user: 'eve', resourceAttributes: getPods })).toEqual(yes)
    expect(selfAccessReview(authorizer, eve, { resourceAttributes: getPods })).toEqual(yes)
    const other = { ...getPods, verb: 'delete' }
    expect(accessReview(authorizer, { user: 'eve', resourceAttributes: other })).toEqual({
      allowed: false,
    })
    const api = { path: '/api/v1', verb: 'get' }
    expect(
      accessReview(authorizer, { groups: ['system:authenticated'], nonResourceAttributes: api }),
    ).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    })
    expect(
      accessReview(authorizer, {
        user: 'zed',
        groups: ['system:masters'],
        extra: { a: ['b'] },
        uid: 'u',
        resourceAttributes: other,
      }),
    ).toEqual({ allowed: true })
  })

  it('requires a user and attributes', () => {
    const nobody = { resourceAttributes: getPods }
    expect(thrownBy(() => accessReview(authorizer, nobody))).toMatchObject(
      invalid('spec.user', 'Invalid value: "": at least one of user or group must be specified'),
    )
    const nothing = invalid(
      'spec.resourceAttributes',
      'Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    )
    expect(thrownBy(() => accessReview(authorizer, { user: 'eve' }))).toMatchObject(nothing)
    expect(thrownBy(() => selfAccessReview(authorizer, eve, {}))).toMatchObject(nothing)
    const both = { user: 'eve', resourceAttributes: getPods, nonResourceAttributes: { path: '/' } }
    expect(thrownBy(() => accessReview(authorizer, both))).toMatchObject(
      invalid(
        'spec.nonResourceAttributes',
        'Invalid value: authorization.NonResourceAttributes{Path:"/", Verb:""}: cannot be specified in combination with resourceAttributes',
      ),
    )
  })

  it('of one namespace is limited to it', () => {
    const spec = { user: 'eve', resourceAttributes: getPods }
    expect(localAccessReview(authorizer, 'demo', spec)).toEqual(yes)
    const other = { user: 'eve', resourceAttributes: { ...getPods, namespace: 'other' } }
    expect(thrownBy(() => localAccessReview(authorizer, 'demo', other))).toMatchObject(
      invalid(
        'spec.resourceAttributes.namespace',
        'Invalid value: "other": must match metadata.namespace',
      ),
    )
    const path = { user: 'eve', nonResourceAttributes: { verb: 'get', path: '/x' } }
    expect(thrownBy(() => localAccessReview(authorizer, 'demo', path))).toMatchObject(
      invalid(
        'spec.nonResourceAttributes',
        'Invalid value: authorization.NonResourceAttributes{Path:"/x", Verb:"get"}: disallowed on this kind of request',
      ),
    )
  })
})

describe('a rules review', () => {
  it('lists the permissions in a namespace', () => {
    expect(selfRulesReview(authorizer, eve, { namespace: 'demo' })).toEqual({
      resourceRules: [
        { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
        {
          verbs: ['create'],
          apiGroups: ['authorization.k8s.io'],
          resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        },
        {
          verbs: ['create'],
          apiGroups: ['authentication.k8s.io'],
          resources: ['selfsubjectreviews'],
        },
      ],
      nonResourceRules: [
        {
          verbs: ['get'],
          nonResourceURLs: [
            '/api',
            '/api/*',
            '/apis',
            '/apis/*',
            '/healthz',
            '/livez',
            '/openapi',
            '/openapi/*',
            '/readyz',
            '/version',
            '/version/',
          ],
        },
        {
          verbs: ['get'],
          nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
        },
      ],
      incomplete: false,
    })
  })

  it('lists roles that do not exist', () => {
    const dangling: RbacObject = {
      kind: 'ClusterRoleBinding',
      metadata: { name: 'dang' },
      subjects: [{ kind: 'User', name: 'dang' }],
      roleRef: { kind: 'ClusterRole', name: 'nowhere' },
    }
    const own = new Authorizer()
    own.update({ type: 'present', object: dangling })
    const dang = { username: 'dang', groups: [] }
    expect(selfRulesReview(own, dang, { namespace: 'demo' })).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: false,
      evaluationError: 'clusterrole.rbac.authorization.k8s.io "nowhere" not found',
    })
  })

  it('requires a namespace', () => {
    expect(thrownBy(() => selfRulesReview(authorizer, eve, { namespace: '' }))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'no namespace on request',
    })
  })
})
