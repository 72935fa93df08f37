import { describe, expect, it } from 'vitest'
import { Authorizer } from '../authorization/authorizer.ts'
import type { PolicyRule } from '../authorization/rbac-objects.ts'
import { impersonate } from './impersonation.ts'

const admin = { username: 'admin-0', groups: ['system:masters', 'system:authenticated'] }
const robot = { username: 'system:serviceaccount:demo:robot', groups: ['system:authenticated'] }

function robotMay(...rules: PolicyRule[]): Authorizer {
  const authorizer = new Authorizer()
  authorizer.update({
    type: 'present',
    object: { kind: 'ClusterRole', metadata: { name: 'impersonator' }, rules },
  })
  authorizer.update({
    type: 'present',
    object: {
      kind: 'ClusterRoleBinding',
      metadata: { name: 'impersonator' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'demo' }],
      roleRef: { kind: 'ClusterRole', name: 'impersonator' },
    },
  })
  return authorizer
}
const users: PolicyRule = { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }

describe('an administrator', () => {
  const as = (headers: Record<string, string[]>): unknown =>
    impersonate(admin, headers, new Authorizer())

  it('keeps its identity without impersonation headers', () => {
    expect(as({})).toBe(admin)
    expect(as({ 'impersonate-user': [''] })).toBe(admin)
  })

  it.each([
    [{ 'impersonate-user': ['jane'] }, { username: 'jane', groups: ['system:authenticated'] }],
    [
      {
        'impersonate-user': ['jane'],
        'impersonate-group': ['a', 'b'],
        'impersonate-uid': ['u1'],
        'impersonate-extra-foo%2fbar': ['x', 'y'],
      },
      {
        username: 'jane',
        uid: 'u1',
        groups: ['a', 'b', 'system:authenticated'],
        extra: { 'foo/bar': ['x', 'y'] },
      },
    ],
    [
      { 'impersonate-user': ['system:serviceaccount:demo:robot'] },
      {
        username: 'system:serviceaccount:demo:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': ['system:serviceaccount:demo:robot'], 'impersonate-group': ['x'] },
      { username: 'system:serviceaccount:demo:robot', groups: ['x', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': ['system:anonymous'] },
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': ['jane'], 'impersonate-group': ['system:unauthenticated'] },
      { username: 'jane', groups: ['system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': ['jane'], 'impersonate-group': ['system:authenticated'] },
      { username: 'jane', groups: ['system:authenticated'] },
    ],
  ])('impersonates with %j', (headers, user) => {
    expect(as(headers as unknown as Record<string, string[]>)).toEqual(user)
  })

  it.each(['impersonate-group', 'impersonate-uid', 'impersonate-extra-a'])(
    'must impersonate a user, not only %s',
    (name) => {
      expect(as({ [name]: ['x'] })).toMatchObject({ code: 500, reason: 'InternalError' })
    },
  )
})

describe('a user without permission to impersonate', () => {
  const jane = { 'impersonate-user': ['jane'] }
  const scope = 'at the cluster scope'
  const cannot = 'is forbidden: User "system:serviceaccount:demo:robot" cannot impersonate resource'

  it.each([
    [[], jane, `users "jane" ${cannot} "users" in API group "" ${scope}`],
    [
      [users],
      { 'impersonate-user': ['system:serviceaccount:demo:robot'] },
      `serviceaccounts "robot" ${cannot} "serviceaccounts" in API group "" in the namespace "demo"`,
    ],
    [
      [users],
      { ...jane, 'impersonate-group': ['a'] },
      `groups "a" ${cannot} "groups" in API group "" ${scope}`,
    ],
    [
      [users],
      { ...jane, 'impersonate-uid': ['a'] },
      `uids.authentication.k8s.io "a" ${cannot} "uids" in API group "authentication.k8s.io" ${scope}`,
    ],
    [
      [users],
      { ...jane, 'impersonate-extra-scopes': ['a'] },
      `userextras.authentication.k8s.io "a" ${cannot} "userextras/scopes" in API group "authentication.k8s.io" ${scope}`,
    ],
  ])('with %j gets the error of kube-apiserver', (rules, headers, message) => {
    const lists = headers as unknown as Record<string, string[]>
    expect(impersonate(robot, lists, robotMay(...rules))).toMatchObject({ code: 403, message })
  })

  it('can impersonate after the permission is granted', () => {
    expect(impersonate(robot, jane, robotMay(users))).toEqual({
      username: 'jane',
      groups: ['system:authenticated'],
    })
  })

  it('cannot impersonate a group without permission for it', () => {
    const headers = { ...jane, 'impersonate-group': ['staff', 'system:masters'] }
    const staff = { ...users, resources: ['groups'], resourceNames: ['staff'] }
    expect(impersonate(robot, headers, robotMay(users, staff))).toMatchObject({
      code: 403,
      details: { name: 'system:masters', kind: 'groups' },
    })
  })
})
