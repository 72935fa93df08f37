import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { until } from '@machinist/testing/until'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { mergePatch, startServer } from '../../src/running-server.fixture.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const configMaps = '/api/v1/namespaces/default/configmaps'

interface Owner {
  readonly name: string
  readonly uid: string
  readonly blocks?: boolean
}

async function make(name: string, owners: Owner[] = [], finalizers: string[] = []): Promise<Owner> {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner.name,
    uid: owner.uid,
    blockOwnerDeletion: owner.blocks,
  }))
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ownerReferences, finalizers },
  }
  const answer = await server.ask('POST', configMaps, { body })
  expect(answer.code).toBe(201)
  const { uid } = answer.body['metadata'] as unknown as { uid: string }
  return { name, uid }
}

const isGone = async (name: string): Promise<boolean> =>
  (await server.ask('GET', `${configMaps}/${name}`)).code === 404

const remove = (name: string, propagationPolicy: string): Promise<unknown> =>
  server.ask('DELETE', `${configMaps}/${name}`, { body: { propagationPolicy } })

describe('garbage collection', () => {
  it('deletes dependents of a deleted owner, recursively', async () => {
    const owner = await make('owner')
    const child = await make('child', [owner])
    await make('grandchild', [child])
    await remove('owner', 'Background')
    await until('the family is gone', async () => (await isGone('child')) && isGone('grandchild'))
    expect(await isGone('owner')).toBe(true)
  })

  it('keeps an object with a remaining owner', async () => {
    const [one, two] = [await make('one'), await make('two')]
    await make('shared', [one, two])
    await remove('one', 'Background')
    await until('one owner is forgotten', async () => {
      const { body } = await server.ask('GET', `${configMaps}/shared`)
      const { ownerReferences } = body['metadata'] as unknown as { ownerReferences: object[] }
      return ownerReferences.length === 1
    })
    await remove('two', 'Background')
    await until('the last owner takes it along', () => isGone('shared'))
    expect(await isGone('two')).toBe(true)
  })

  it('orphans dependents if requested', async () => {
    const owner = await make('leaving')
    await make('orphan', [owner])
    await remove('leaving', 'Orphan')
    await until('the owner is gone', () => isGone('leaving'))
    const { body } = await server.ask('GET', `${configMaps}/orphan`)
    expect(body['metadata']).not.toHaveProperty('ownerReferences')
  })

  it('deletes dependents first if requested', async () => {
    const owner = await make('waiting')
    await make('blocking', [{ ...owner, blocks: true }], ['x.io/hold'])
    await remove('waiting', 'Foreground')
    const deleted = async (): Promise<boolean> => {
      const { body } = await server.ask('GET', `${configMaps}/blocking`)
      return Object.hasOwn(body['metadata'] ?? {}, 'deletionTimestamp')
    }
    await until('the dependent is being deleted', deleted)
    expect(await isGone('waiting')).toBe(false)
    await server.ask('PATCH', `${configMaps}/blocking`, {
      body: { metadata: { finalizers: null } },
      headers: mergePatch,
    })
    await until('the owner may go', () => isGone('waiting'))
    expect(await isGone('blocking')).toBe(true)
  })

  it('deletes an object with a missing owner', async () => {
    await make('nobodys', [{ name: 'ghost', uid: '00000000-0000-4000-8000-000000000000' }])
    await until('it is gone', () => isGone('nobodys'))
    expect(await isGone('nobodys')).toBe(true)
  })
})

describe('a namespace', () => {
  it('is emptied before its removal, and rejects new objects meanwhile', async () => {
    await server.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    })
    const inside = '/api/v1/namespaces/team/configmaps'
    const held = { kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['x.io/hold'] } }
    await server.ask('POST', inside, { body: held })
    const { body } = await server.ask('DELETE', '/api/v1/namespaces/team')
    expect(body).toMatchObject({ status: { phase: 'Terminating' } })
    const rejected = await server.ask('POST', inside, {
      body: { kind: 'ConfigMap', metadata: { name: 'c2' } },
    })
    expect(rejected.code).toBe(403)
    expect(rejected.body).toMatchObject({
      message:
        'configmaps "c2" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: {
        name: 'c2',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace team is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    })
    const conditions = async (): Promise<Condition[]> => {
      const answer = await server.ask('GET', '/api/v1/namespaces/team')
      const { status } = answer.body as unknown as { status: { conditions?: Condition[] } }
      return status.conditions ?? []
    }
    await until('it says what it waits for', async () => (await conditions()).length > 0)
    expect((await conditions()).filter(({ status }) => status === 'True')).toMatchObject([
      {
        type: 'NamespaceContentRemaining',
        reason: 'SomeResourcesRemain',
        message: 'Some resources are remaining: configmaps. has 1 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        reason: 'SomeFinalizersRemain',
        message:
          'Some content in the namespace has finalizers remaining: x.io/hold in 1 resource instances',
      },
    ])
    await server.ask('PATCH', `${inside}/held`, {
      body: { metadata: { finalizers: null } },
      headers: mergePatch,
    })
    const gone = async (): Promise<boolean> =>
      (await server.ask('GET', '/api/v1/namespaces/team')).code === 404
    await until('the namespace is gone', gone)
    expect(await gone()).toBe(true)
  })
})

describe('RBAC', () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

  it('takes effect with the next request', async () => {
    const token = 'nobodys-token'
    expect((await server.ask('GET', '/api/v1/nodes', { token })).code).toBe(403)
    const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }]
    await server.ask('POST', roles, { body: { metadata: { name: 'lister' }, rules } })
    const binding = {
      metadata: { name: 'nobody-lists' },
      roleRef: { kind: 'ClusterRole', name: 'lister' },
      subjects: [{ kind: 'User', name: 'nobody' }],
    }
    await server.ask('POST', bindings, { body: binding })
    expect((await server.ask('GET', '/api/v1/nodes', { token })).code).toBe(200)
    await server.ask('DELETE', `${bindings}/nobody-lists`)
    expect((await server.ask('GET', '/api/v1/nodes', { token })).code).toBe(403)
  })

  it('lists the rules of aggregating roles', async () => {
    const matchLabels = { 'example.org/collect': 'true' }
    await server.ask('POST', roles, {
      body: {
        metadata: { name: 'collector' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
      },
    })
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['nodes'] }]
    await server.ask('POST', roles, {
      body: { metadata: { name: 'collected', labels: matchLabels }, rules },
    })
    const shown = async (name: string): Promise<unknown[]> => {
      const { body } = await server.ask('GET', `${roles}/${name}`)
      const { rules: collected } = body as unknown as { rules: unknown[] | null }
      return collected ?? []
    }
    await until('they are collected', async () => (await shown('collector')).length > 0)
    expect(await shown('collector')).toEqual(rules)
    expect((await shown('admin')).length).toBeGreaterThan((await shown('view')).length)
    expect((await shown('view')).length).toBeGreaterThan(5)
  })

  it('prevents escalation', async () => {
    const token = 'nobodys-token'
    const rules = [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] },
    ]
    await server.ask('POST', roles, { body: { metadata: { name: 'role-maker' }, rules } })
    const binding = {
      metadata: { name: 'nobody-makes-roles' },
      roleRef: { kind: 'ClusterRole', name: 'role-maker' },
      subjects: [{ kind: 'User', name: 'nobody' }],
    }
    await server.ask('POST', bindings, { body: binding })
    const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
    const { code, body } = await server.ask('POST', roles, {
      body: { metadata: { name: 'everything' }, rules: all },
      token,
    })
    expect(code).toBe(403)
    expect(body['message']).toContain('attempting to grant RBAC permissions not currently held')
  })

  it('answers reviews', async () => {
    const review = (token: string): Promise<{ body: Record<string, never> }> =>
      server.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        body: {
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } },
        },
        token,
      })
    expect((await review('administrators-token')).body).toMatchObject({ status: { allowed: true } })
    expect((await review('nobodys-token')).body).toMatchObject({ status: { allowed: false } })
    const whoami = await server.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { kind: 'SelfSubjectReview' },
    })
    expect(whoami.body).toMatchObject({ status: { userInfo: { username: 'admin' } } })
  })

  it('applies to service account tokens', async () => {
    await server.ask('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { kind: 'ServiceAccount', metadata: { name: 'robot' } },
    })
    const requested = await server.ask(
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/robot/token',
      { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} } },
    )
    expect(requested.code).toBe(201)
    const { token } = requested.body['status'] as unknown as { token: string }
    const whoami = await server.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { kind: 'SelfSubjectReview' },
      token,
    })
    expect(whoami.body).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:robot' } },
    })
  })
})

describe('events', () => {
  it('are the same objects in both groups', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Node', name: 'n1', namespace: 'default' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
    }
    await server.ask('POST', '/api/v1/namespaces/default/events', { body: event })
    const { body } = await server.ask('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e')
    expect(body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Node', name: 'n1', namespace: 'default' },
      note: 'm',
      deprecatedFirstTimestamp: null,
    })
    expect(body).not.toHaveProperty('message')
    const found = await server.ask(
      'GET',
      '/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dn1',
    )
    expect(found.body['items']).toMatchObject([{ metadata: { name: 'e' } }])
  })
})
