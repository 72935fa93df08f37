import { describe, expect, it } from 'vitest'
import type { Attributes } from './attributes.ts'
import { forbidden } from './forbidden.ts'

const bob = { username: 'bob', groups: ['system:authenticated'] }

/** Messages of a real kube-apiserver. */
const reported: [Attributes, string, object][] = [
  [
    { verb: 'get', group: '', resource: 'nodes', name: 'n1' },
    'nodes "n1" is forbidden: User "bob" cannot get resource "nodes" in API group "" at the cluster scope',
    { name: 'n1', kind: 'nodes' },
  ],
  [
    { verb: 'list', group: '', resource: 'nodes' },
    'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
    { kind: 'nodes' },
  ],
  [
    { verb: 'list', group: '', resource: 'pods', namespace: 'demo' },
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "demo"',
    { kind: 'pods' },
  ],
  [
    {
      verb: 'get',
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
      name: 'x',
      namespace: 'demo',
    },
    'deployments.apps "x" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" in the namespace "demo"',
    { name: 'x', group: 'apps', kind: 'deployments' },
  ],
  [
    { verb: 'get', group: '', resource: 'pods', subresource: 'log', name: 'p', namespace: 'demo' },
    'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "demo"',
    { name: 'p', kind: 'pods' },
  ],
  [{ verb: 'get', path: '/metrics' }, 'forbidden: User "bob" cannot get path "/metrics"', {}],
]

describe('a forbidden error', () => {
  it.each(reported)('has the message of kube-apiserver: %j', (attributes, message, details) => {
    const error = forbidden(bob, attributes)
    expect(error).toMatchObject({ code: 403, reason: 'Forbidden', message })
    expect(error.details).toEqual(details)
  })

  it('ends with lookup errors', () => {
    const reason = 'RBAC: clusterrole.rbac.authorization.k8s.io "nowhere" not found'
    const dang = { username: 'dang', groups: [] }
    expect(
      forbidden(dang, { verb: 'get', group: '', resource: 'nodes', name: 'n1' }, reason).message,
    ).toBe(
      'nodes "n1" is forbidden: User "dang" cannot get resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "nowhere" not found',
    )
    expect(forbidden(dang, { verb: 'get', path: '/metrics' }, reason).message).toBe(
      'forbidden: User "dang" cannot get path "/metrics": RBAC: clusterrole.rbac.authorization.k8s.io "nowhere" not found',
    )
  })
})
