import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { startServer } from '../../src/running-server.fixture.ts'
import { gears } from './definitions.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
  await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: gears,
  })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

interface Group {
  metadata: { name?: string }
  versions: { version: string; resources: { resource: string }[] }[]
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const accept = `${aggregated},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`

describe('aggregated discovery', () => {
  it('answers kubectl, with an ETag', async () => {
    const { headers, body } = await server.ask('GET', '/apis', { headers: { accept } })
    expect(headers['content-type']).toBe(aggregated)
    expect(headers['cache-control']).toBe('public')
    expect(headers['vary']).toBe('Accept')
    expect(headers['etag']).toMatch(/^"[0-9A-F]{128}"$/)
    expect(body).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
    })
    const again = await server.ask('GET', '/apis', {
      headers: { accept, 'if-none-match': String(headers['etag']) },
    })
    expect(again.code).toBe(304)
    expect(again.text).toBe('')
  })

  it('supports v2beta1', async () => {
    const old = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'
    const { headers, body } = await server.ask('GET', '/api', { headers: { accept: old } })
    expect(headers['content-type']).toBe(old)
    expect(body['apiVersion']).toBe('apidiscovery.k8s.io/v2beta1')
  })

  it('includes all versions of custom resources', async () => {
    const { body } = await server.ask('GET', '/apis', { headers: { accept } })
    const groups = body['items'] as unknown as Group[]
    expect(groups.find(({ metadata }) => metadata.name === 'ex.io')).toEqual({
      metadata: { name: 'ex.io', creationTimestamp: null },
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'gears',
              responseKind: { group: 'ex.io', version: 'v1', kind: 'Gear' },
              scope: 'Namespaced',
              singularResource: 'gear',
              verbs: [
                'delete',
                'deletecollection',
                'get',
                'list',
                'patch',
                'create',
                'update',
                'watch',
              ],
              shortNames: ['gr'],
              categories: ['all'],
              subresources: [
                {
                  subresource: 'status',
                  responseKind: { group: 'ex.io', version: 'v1', kind: 'Gear' },
                  verbs: ['get', 'patch', 'update'],
                },
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                  verbs: ['get', 'patch', 'update'],
                },
              ],
            },
          ],
          freshness: 'Current',
        },
        {
          version: 'v1beta1',
          resources: [
            {
              resource: 'gears',
              responseKind: { group: 'ex.io', version: 'v1beta1', kind: 'Gear' },
              scope: 'Namespaced',
              singularResource: 'gear',
              verbs: [
                'delete',
                'deletecollection',
                'get',
                'list',
                'patch',
                'create',
                'update',
                'watch',
              ],
              shortNames: ['gr'],
              categories: ['all'],
            },
          ],
          freshness: 'Current',
        },
      ],
    })
  })
})

describe('legacy discovery', () => {
  it('lists core versions and groups', async () => {
    const core = await server.ask('GET', '/api')
    expect(core.body).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [
        { clientCIDR: '0.0.0.0/0', serverAddress: new URL(server.url).host },
      ],
    })
    expect((await server.ask('GET', '/apis/apps')).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    })
  })

  it('lists the resources of a version', async () => {
    const { body } = await server.ask('GET', '/api/v1')
    expect(body['kind']).toBe('APIResourceList')
    expect(body).not.toHaveProperty('apiVersion')
    const resources = body['resources'] as unknown as { name: string }[]
    expect(resources.find(({ name }) => name === 'pods')).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    })
    expect(resources.find(({ name }) => name === 'pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    })
  })

  it('lists custom resources', async () => {
    const { text } = await server.ask('GET', '/apis/ex.io/v1')
    expect(text).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"ex.io/v1","resources":[{"name":"gears","singularName":"gear","namespaced":true,"kind":"Gear","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["gr"],"categories":["all"],"storageVersionHash":"kiJue8DDqDw="},{"name":"gears/status","singularName":"","namespaced":true,"kind":"Gear","verbs":["get","patch","update"]},{"name":"gears/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}]}\n',
    )
  })

  it.each(['/apis/ex.io/v2', '/apis/ex.io/v1/nope'])('has no document at %s', async (path) => {
    const { code, text } = await server.ask('GET', path)
    expect(code).toBe(404)
    expect(text).toBe('404 page not found\n')
  })
})

describe('health', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s is public', async (path) => {
    const { code, text } = await server.ask('GET', path, { token: undefined })
    expect(code).toBe(200)
    expect(text).toBe('ok')
  })

  it('has single checks', async () => {
    expect((await server.ask('GET', '/healthz/ping')).text).toBe('ok')
  })

  it('has verbose output', async () => {
    const { text } = await server.ask('GET', '/readyz?verbose')
    expect(text).toBe(
      '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n',
    )
  })
})

describe('OpenAPI', () => {
  it('has a document for every group version, including custom ones', async () => {
    const { body } = await server.ask('GET', '/openapi/v3')
    const paths = body['paths'] as unknown as Record<string, { serverRelativeURL: string }>
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/ex.io/v1']))
    const found = await server.ask('GET', paths['apis/ex.io/v1']!.serverRelativeURL)
    expect(found.code).toBe(200)
    expect(found.headers['cache-control']).toBe('public, immutable')
    expect((await server.ask('GET', '/openapi/v3/apis/nope.io/v1')).code).toBe(404)
  })
})
