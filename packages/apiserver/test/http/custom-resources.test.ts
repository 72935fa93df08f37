import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import { namespaces } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { mergePatch, startServer } from '../../src/running-server.fixture.ts'
import { gears } from './definitions.ts'

let server: RunningServer

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const path = '/apis/ex.io/v1/namespaces/default/gears'

interface Gear extends KubeObject {
  spec?: { replicas?: number; size?: string }
  status?: { replicas?: number }
}

const gearResource = resource<Gear>({
  group: 'ex.io',
  version: 'v1',
  kind: 'Gear',
  plural: 'gears',
  namespaced: true,
})

const gear = (name: string, rest: object = {}): object => ({
  apiVersion: 'ex.io/v1',
  kind: 'Gear',
  metadata: { name },
  ...rest,
})

beforeAll(async () => {
  server = await startServer()
  await server.ask('POST', definitions, { body: gears })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

describe('a CRD', () => {
  it('is served immediately, and is established', async () => {
    expect((await server.ask('GET', path)).body['kind']).toBe('GearList')
    let conditions: object[] = []
    await until('the definition is established', async () => {
      const { body } = await server.ask('GET', `${definitions}/gears.ex.io`)
      const status = body['status'] as unknown as { conditions: object[] | null }
      conditions = status.conditions ?? []
      return conditions.length > 0
    })
    expect(conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
    ])
  })

  it('is rejected with all causes', async () => {
    const body = {
      ...gears,
      metadata: { name: 'wrong' },
      spec: { ...gears.spec, versions: [{ name: 'v1', served: true, storage: true }] },
    }
    const answer = await server.ask('POST', definitions, { body })
    expect(answer.code).toBe(422)
    expect(answer.body['message']).toBe(
      'CustomResourceDefinition.apiextensions.k8s.io "wrong" is invalid: [metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group, spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required]',
    )
  })
})

describe('a CRD without names', () => {
  it('is rejected', async () => {
    const { code, body } = await server.ask('POST', definitions, {
      body: {
        ...gears,
        metadata: { name: 'cogs.ex.io' },
        spec: { ...gears.spec, scope: '', names: { plural: 'cogs' } },
      },
    })
    expect(code).toBe(422)
    expect(body['message']).toBe(
      'CustomResourceDefinition.apiextensions.k8s.io "cogs.ex.io" is invalid: [spec.scope: Required value, spec.names.singular: Required value, spec.names.kind: Required value, spec.names.listKind: Required value]',
    )
  })
})

describe('a custom resource', () => {
  it('is pruned, defaulted and has a generation', async () => {
    const made = await server.ask('POST', path, {
      body: gear('w', { spec: { replicas: 1, extra: 2 }, status: { replicas: 5 } }),
    })
    expect(made.code).toBe(201)
    expect(made.headers['warning']).toBe('299 - "unknown field \\"spec.extra\\""')
    expect(made.body['spec']).toEqual({ replicas: 1, size: 'M' })
    expect(made.body).not.toHaveProperty('status')
    const changed = await server.ask('PATCH', `${path}/w`, {
      body: { spec: { replicas: 3 }, status: { replicas: 1 } },
      headers: mergePatch,
    })
    expect(changed.body['metadata']).toMatchObject({ generation: 2 })
    expect(changed.body).not.toHaveProperty('status')
    const status = await server.ask('PATCH', `${path}/w/status`, {
      body: {
        spec: { replicas: 9 },
        status: { replicas: 1 },
        metadata: { labels: { a: 'b' } },
      },
      headers: mergePatch,
    })
    expect(status.body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 1 } })
    expect(status.body['metadata']).not.toHaveProperty('labels')
    expect(status.body['metadata']).toMatchObject({ generation: 2 })
  })

  it('has a scale subresource', async () => {
    await server.ask('POST', path, { body: gear('scaled', { spec: { replicas: 1 } }) })
    const scaled = await server.ask('PATCH', `${path}/scaled/scale`, {
      body: { spec: { replicas: 4 } },
      headers: mergePatch,
    })
    expect(scaled.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 4 },
      status: { replicas: 0 },
    })
    const { body } = await server.ask('GET', `${path}/scaled`)
    expect(body['spec']).toEqual({ replicas: 4, size: 'M' })
  })

  it('is served in every version', async () => {
    await server.ask('POST', path, { body: gear('versions') })
    const { body } = await server.ask(
      'GET',
      '/apis/ex.io/v1beta1/namespaces/default/gears/versions',
    )
    expect(body['apiVersion']).toBe('ex.io/v1beta1')
  })

  it.each([
    [
      { metadata: { name: 'x' } },
      400,
      /^the object provided is unrecognized \(must be of type Gear\): Object 'Kind' is missing in/,
    ],
    [
      { apiVersion: 'ex.io/v1', kind: 'Other', metadata: { name: 'x' } },
      422,
      /^Other\.ex\.io "x" is invalid: kind: Invalid value: "Other": must be Gear$/,
    ],
    [
      gear('x', { spec: { replicas: 'many' } }),
      422,
      /^Gear\.ex\.io "x" is invalid: \[spec\.replicas: Invalid value: "string": spec\.replicas in body must be of type integer: "string", \.spec\.replicas: Invalid value: 0: \.spec\.replicas accessor error: many is of the type string, expected int64\]$/,
    ],
  ])('rejects %j', async (body, code, message) => {
    const answer = await server.ask('POST', path, { body })
    expect(answer.code).toBe(code)
    expect(answer.body['message']).toMatch(message)
  })

  it('requires a resourceVersion for updates', async () => {
    await server.ask('POST', path, { body: gear('put') })
    const { code, body } = await server.ask('PUT', `${path}/put`, { body: gear('put') })
    expect(code).toBe(422)
    expect(body['message']).toBe(
      'gears.ex.io "put" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    )
  })

  it('rejects strategic merge patches', async () => {
    await server.ask('POST', path, { body: gear('strategic') })
    const { code, body } = await server.ask('PATCH', `${path}/strategic`, {
      body: {},
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })
    expect(code).toBe(415)
    expect(body['message']).toBe(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    )
  })

  it('is created by apply', async () => {
    const applied = await server.ask('PATCH', `${path}/applied?fieldManager=me&force=true`, {
      body: gear('applied', { spec: { replicas: 2 } }),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
    expect(applied.code).toBe(201)
    expect(applied.body['metadata']).toMatchObject({
      managedFields: [{ manager: 'me', operation: 'Apply' }],
    })
  })
})

describe('a watch', () => {
  it('sends changes to the client of packages/kube', async () => {
    const stop = new AbortController()
    const seen: string[] = []
    const { resourceVersion } = await server.client.list(gearResource, { namespace: 'default' })
    const following = (async () => {
      const options = { namespace: 'default', resourceVersion }
      for await (const event of server.client.watch(gearResource, options, stop.signal)) {
        if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`)
        if (seen.length === 3) return
      }
    })()
    const seenGear = { metadata: { name: 'seen', namespace: 'default' }, spec: { replicas: 1 } }
    await server.client.create(gearResource, { ...gear('seen'), ...seenGear })
    await server.ask('PATCH', `${path}/seen`, {
      body: { spec: { replicas: 7 } },
      headers: mergePatch,
    })
    await server.ask('DELETE', `${path}/seen`)
    await following
    stop.abort()
    expect(seen).toEqual(['ADDED seen', 'MODIFIED seen', 'DELETED seen'])
  })

  it('sends tables, with columns in the first event only', async () => {
    await server.ask('POST', path, { body: gear('table-1') })
    await server.ask('POST', path, { body: gear('table-2') })
    const { text } = await server.ask('GET', `${path}?watch=true&timeoutSeconds=1`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    const events = text
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            object: { kind: string; columnDefinitions: object[] | null }
          },
      )
    expect(events.length).toBeGreaterThan(1)
    expect(events.map(({ object }) => object.kind)).toEqual(events.map(() => 'Table'))
    expect(events[0]!.object.columnDefinitions).toHaveLength(2)
    expect(events[1]!.object.columnDefinitions).toBeNull()
  })

  it('ends when the server stops', async () => {
    const own = await startServer()
    const stop = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      const options = { resourceVersion: '' }
      for await (const event of own.client.watch(namespaces, options, stop.signal)) {
        if (event.type === 'ADDED') seen.push(event.object.metadata.name)
      }
    })().catch(() => undefined)
    await until('the watch runs', () => seen.length === 4)
    await own[Symbol.asyncDispose]()
    await following
    expect(seen).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
  })
})

describe('the deletion of a CRD', () => {
  it('deletes its objects', async () => {
    await server.ask('POST', path, { body: gear('last') })
    const { body } = await server.ask('DELETE', `${definitions}/gears.ex.io`)
    expect(body['metadata']).toMatchObject({
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    })
    await until('the definition is gone', async () => {
      const { code } = await server.ask('GET', `${definitions}/gears.ex.io`)
      return code === 404
    })
    const { code, text } = await server.ask('GET', path)
    expect(code).toBe(404)
    expect(text).toBe('404 page not found\n')
  })
})
