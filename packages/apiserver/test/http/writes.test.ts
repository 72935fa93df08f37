import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { mergePatch, startServer } from '../../src/running-server.fixture.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

interface Seen {
  metadata: {
    name: string
    uid: string
    resourceVersion: string
    generation?: number
    creationTimestamp: string
    deletionTimestamp?: string
    deletionGracePeriodSeconds?: number
    labels?: Record<string, string>
    finalizers?: string[]
  }
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
  [field: string]: unknown
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const nodes = '/api/v1/nodes'

async function create(path: string, body: object): Promise<Seen> {
  const answer = await server.ask('POST', path, { body })
  expect(answer.code).toBe(201)
  return answer.body as unknown as Seen
}

async function patch(path: string, body: object): Promise<{ code: number; seen: Seen }> {
  const answer = await server.ask('PATCH', path, { body, headers: mergePatch })
  return { code: answer.code, seen: answer.body as unknown as Seen }
}

const map = (name: string, extra: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...extra },
  data: { a: 'b' },
})
const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })

describe('create', () => {
  it('sets server-side metadata and ignores that of the client', async () => {
    const made = await create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        generateName: 'c-',
        uid: 'x',
        creationTimestamp: '2020-01-01T00:00:00Z',
        deletionTimestamp: '2020-01-01T00:00:00Z',
        selfLink: '/a',
      },
    })
    expect(made.metadata.name).toMatch(/^c-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(made.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(made.metadata.creationTimestamp).not.toBe('2020-01-01T00:00:00Z')
    expect(made.metadata).not.toHaveProperty('deletionTimestamp')
    expect(made.metadata).not.toHaveProperty('selfLink')
  })

  it('rejects an existing object', async () => {
    await create(configMaps, map('twice'))
    const { code, body } = await server.ask('POST', configMaps, { body: map('twice') })
    expect(code).toBe(409)
    expect(body).toMatchObject({
      message: 'configmaps "twice" already exists',
      reason: 'AlreadyExists',
      details: { name: 'twice', kind: 'configmaps' },
    })
  })

  it.each([
    [{}, 'Node "" is invalid: metadata.name: Required value: name or generateName is required'],
    [
      { name: 'N_1' },
      `Node "N_1" is invalid: metadata.name: Invalid value: "N_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ])('rejects the metadata %j', async (metadata, message) => {
    const { code, body } = await server.ask('POST', nodes, { body: { ...node(''), metadata } })
    expect(code).toBe(422)
    expect(body['message']).toBe(message)
  })

  it.each([
    [{ name: 5 }, 'number into Go struct field ObjectMeta.metadata.name of type string'],
    [
      { name: 'a', labels: [] },
      'array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      { name: 'a', finalizers: 'x' },
      'string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
    [
      { name: 'a', ownerReferences: {} },
      'object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
    ],
  ])('rejects metadata of the wrong type: %j', async (metadata, what) => {
    const { code, body } = await server.ask('POST', nodes, { body: { ...node(''), metadata } })
    expect(code).toBe(400)
    expect(body['message']).toBe(
      `Node in version "v1" cannot be handled as a Node: json: cannot unmarshal ${what}`,
    )
  })

  it('requires an existing, matching namespace', async () => {
    const nowhere = await server.ask('POST', '/api/v1/namespaces/nope/configmaps', {
      body: map('c'),
    })
    expect(nowhere.body).toMatchObject({ message: 'namespaces "nope" not found', code: 404 })
    const other = await server.ask('POST', configMaps, { body: map('c', { namespace: 'other' }) })
    expect(other.body).toMatchObject({
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
      code: 400,
    })
  })

  it('rejects a resourceVersion', async () => {
    const body = map('versioned', { resourceVersion: '5' })
    const answer = await server.ask('POST', configMaps, { body })
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion should not be set on objects to be created',
      code: 500,
    })
  })

  it('stores nothing in a dry run', async () => {
    const answer = await server.ask('POST', `${configMaps}?dryRun=All`, { body: map('dry') })
    expect(answer.code).toBe(201)
    expect(answer.body['metadata']).not.toHaveProperty('resourceVersion')
    expect((await server.ask('GET', `${configMaps}/dry`)).code).toBe(404)
  })

  it('applies defaults', async () => {
    const made = await create(nodes, node('complete'))
    expect(made.spec).toEqual({
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    })
    const secret = await create('/api/v1/namespaces/default/secrets', {
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { k: 'v' },
    })
    expect(secret).toMatchObject({ data: { k: 'dg==' }, type: 'Opaque' })
    expect(secret).not.toHaveProperty('stringData')
    const pod = await create('/api/v1/namespaces/default/pods', {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    })
    expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
    expect(pod.spec?.['containers']).toMatchObject([{ imagePullPolicy: 'IfNotPresent' }])
  })
})

describe('update', () => {
  it('keeps the version without changes, and increases the generation with changes', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments'
    const made = await create(path, {
      kind: 'Deployment',
      metadata: { name: 'b' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    })
    expect(made.metadata.generation).toBe(1)
    const same = await patch(`${path}/b`, { spec: { replicas: 1 } })
    expect(same.seen.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    const labelled = await patch(`${path}/b`, { metadata: { labels: { a: 'b' } } })
    expect(labelled.seen.metadata.generation).toBe(1)
    const changed = await patch(`${path}/b`, { spec: { replicas: 2 } })
    expect(changed.seen.metadata.generation).toBe(2)
  })

  it('separates status and spec', async () => {
    await create(nodes, node('apart'))
    const main = await patch(`${nodes}/apart`, { status: { phase: 'Running' } })
    expect(main.seen.status).not.toHaveProperty('phase')
    const status = await patch(`${nodes}/apart/status`, {
      spec: { unschedulable: true },
      status: { phase: 'Running' },
    })
    expect(status.seen.status).toMatchObject({ phase: 'Running' })
    expect(status.seen.spec).not.toHaveProperty('unschedulable')
  })

  it.each([
    [{ name: 'n2' }, 400, 'the name of the object (n2) does not match the name on the URL (n1)'],
    [{}, 400, 'the name of the object (n1 based on URL) was undeterminable: name must be provided'],
    [
      { name: 'n1', resourceVersion: '1' },
      409,
      'Operation cannot be fulfilled on nodes "n1": the object has been modified; please apply your changes to the latest version and try again',
    ],
  ])('rejects replacing n1 by %j', async (metadata, expected, message) => {
    await server.ask('POST', nodes, { body: node('n1') })
    const { code, body } = await server.ask('PUT', `${nodes}/n1`, {
      body: { ...node(''), metadata },
    })
    expect(code).toBe(expected)
    expect(body['message']).toBe(message)
  })

  it('rejects changes of immutable fields', async () => {
    await create(nodes, node('immutable'))
    const { code, seen } = await patch(`${nodes}/immutable`, { metadata: { uid: 'z' } })
    expect(code).toBe(422)
    expect(seen['message']).toBe(
      'Node "immutable" is invalid: metadata.uid: Invalid value: "z": field is immutable',
    )
    const kept = await patch(`${nodes}/immutable`, {
      metadata: { creationTimestamp: null, labels: { a: 'b' } },
    })
    expect(kept.seen.metadata.creationTimestamp).toMatch(/^2/)
  })

  it('reports all causes of invalid labels', async () => {
    await create(nodes, node('labels'))
    const { code, seen } = await patch(`${nodes}/labels`, { metadata: { labels: { 'a b': 'b/' } } })
    expect(code).toBe(422)
    expect(seen['message']).toBe(
      `Node "labels" is invalid: [metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), metadata.labels: Invalid value: "b/": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]`,
    )
    const typed = await patch(`${nodes}/labels`, { metadata: { labels: { a: 5 } } })
    expect(typed.seen['message']).toBe(
      ' "" is invalid: patch: Invalid value: "object": json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    )
  })

  it('applies all concurrent patches', async () => {
    await create(configMaps, map('busy'))
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`)
    const all = names.map((name) => patch(`${configMaps}/busy`, { data: { [name]: 'x' } }))
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual(names.map(() => 200))
    const { body } = await server.ask('GET', `${configMaps}/busy`)
    expect(Object.keys(body['data'] ?? {})).toHaveLength(21)
  })
})

describe('delete', () => {
  it('returns a Status when the object is removed', async () => {
    const { metadata } = await create(configMaps, map('gone'))
    const { code, body } = await server.ask('DELETE', `${configMaps}/gone`)
    expect(code).toBe(200)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps', uid: metadata.uid },
    })
  })

  it('waits for finalizers', async () => {
    await create(nodes, { ...node('held'), metadata: { name: 'held', finalizers: ['x.io/y'] } })
    const deleted = await server.ask('DELETE', `${nodes}/held`)
    expect(deleted.body['metadata']).toMatchObject({ deletionGracePeriodSeconds: 0 })
    const added = await patch(`${nodes}/held`, { metadata: { finalizers: ['x.io/y', 'x.io/z'] } })
    expect(added.seen['message']).toBe(
      'Node "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/z"}',
    )
    const released = await patch(`${nodes}/held`, { metadata: { finalizers: null } })
    expect(released.code).toBe(200)
    expect((await server.ask('GET', `${nodes}/held`)).code).toBe(404)
  })

  it('checks preconditions', async () => {
    const { metadata } = await create(nodes, node('sure'))
    const { code, body } = await server.ask('DELETE', `${nodes}/sure`, {
      body: { preconditions: { uid: 'q' } },
    })
    expect(code).toBe(409)
    expect(body).toMatchObject({
      message: `Operation cannot be fulfilled on Node "sure": the UID in the precondition (q) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      details: { name: 'sure', kind: 'Node' },
    })
  })

  it('has a grace period only for pods on a node', async () => {
    const pods = '/api/v1/namespaces/default/pods'
    const spec = { containers: [{ name: 'c', image: 'i' }] }
    await create(pods, { metadata: { name: 'loose' }, spec })
    const loose = await server.ask('DELETE', `${pods}/loose`)
    expect(loose.body['metadata']).toMatchObject({ deletionGracePeriodSeconds: 0 })
    expect((await server.ask('GET', `${pods}/loose`)).code).toBe(404)
    await create(pods, { metadata: { name: 'placed' }, spec: { ...spec, nodeName: 'n1' } })
    const placed = await server.ask('DELETE', `${pods}/placed`)
    expect(placed.body['metadata']).toMatchObject({ deletionGracePeriodSeconds: 30 })
    await server.ask('DELETE', `${pods}/placed?gracePeriodSeconds=0`)
    expect((await server.ask('GET', `${pods}/placed`)).code).toBe(404)
  })

  it('deletes collections by selector', async () => {
    const secrets = '/api/v1/namespaces/kube-public/configmaps'
    await create(secrets, map('one', { labels: { go: 'yes' } }))
    await create(secrets, map('two'))
    const { body } = await server.ask('DELETE', `${secrets}?labelSelector=go%3Dyes`)
    expect(body['items']).toMatchObject([{ metadata: { name: 'one' } }])
    const left = await server.ask('GET', secrets)
    expect(left.body['items']).toMatchObject([{ metadata: { name: 'two' } }])
  })

  it('rejects the system namespaces', async () => {
    const { code, body } = await server.ask('DELETE', '/api/v1/namespaces/default')
    expect(code).toBe(403)
    expect(body['message']).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    )
  })
})

describe('eviction', () => {
  it('is denied while the budget needs every pod', async () => {
    const pods = '/api/v1/namespaces/kube-system/pods'
    const labels = { app: 'web' }
    await create(pods, {
      metadata: { name: 'web', labels },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    })
    await patch(`${pods}/web/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
    const budgets = '/apis/policy/v1/namespaces/kube-system/poddisruptionbudgets'
    const spec = { minAvailable: 1, selector: { matchLabels: labels } }
    await create(budgets, { metadata: { name: 'pdb' }, spec })
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } }
    const rejected = await server.ask('POST', `${pods}/web/eviction`, { body: eviction })
    expect(rejected.code).toBe(429)
    expect(rejected.body).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget pdb needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    })
    await server.ask('DELETE', `${budgets}/pdb`)
    const evicted = await server.ask('POST', `${pods}/web/eviction`, { body: eviction })
    expect(evicted.code).toBe(201)
    expect(evicted.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    })
  })
})
