import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import { answer, serve } from '@machinist/testing/servers/http-server'
import { fixedConnection } from '../connection/connection.ts'
import { ConnectionFailure } from '../failure.ts'
import {
  certificateSigningRequests,
  configMaps,
  nodes,
  pods,
  serviceAccounts,
} from '../kinds/kinds.ts'
import { apply, mergePatch } from '../patch.ts'
import { HttpTransport } from '../transport/http-transport.ts'
import { KubeClient } from './client.ts'
import { resourcePath } from './path.ts'

interface Ask {
  readonly method: string
  readonly url: string
  readonly accept?: string
  readonly contentType?: string
  readonly body?: unknown
}

interface Meeting extends AsyncDisposable {
  readonly client: KubeClient
  readonly asks: Ask[]
}

/** A client and a server that records its requests. */
async function meet(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Meeting> {
  const asks: Ask[] = []
  const server = await serve((request, response, body) => {
    const { accept, 'content-type': contentType } = request.headers
    asks.push({
      method: request.method!,
      url: request.url!,
      accept,
      ...(contentType ? { contentType, body: JSON.parse(body) } : {}),
    })
    handler(request, response)
  })
  const connection = fixedConnection({ server: server.url, tls: {}, headers: {} })
  const transport = new HttpTransport({ connection, clock: systemClock })
  const client = new KubeClient({ transport, clock: systemClock })
  return { client, asks, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', creationTimestamp: '2026-01-01T00:00:00Z' },
}
const json = 'application/json'
const key = { namespace: 'shop', name: 'web' }

describe('reading', () => {
  it('gets an object, its metadata and a subresource', async () => {
    await using meeting = await meet((_, response) => answer(response, 200, node))
    const { client, asks } = meeting
    expect(await client.get(nodes, { name: 'n1' })).toEqual(node)
    await client.get(pods, key, { subresource: 'status', resourceVersion: '0' })
    await client.getMetadata(pods, key)
    expect(asks).toEqual([
      { method: 'GET', url: '/api/v1/nodes/n1', accept: json },
      {
        method: 'GET',
        url: '/api/v1/namespaces/shop/pods/web/status?resourceVersion=0',
        accept: json,
      },
      {
        method: 'GET',
        url: '/api/v1/namespaces/shop/pods/web',
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      },
    ])
  })

  it('lists a page and adds apiVersion and kind to every item', async () => {
    await using meeting = await meet((_, response) =>
      answer(response, 200, {
        kind: 'NodeList',
        metadata: { resourceVersion: '812', continue: 'token', remainingItemCount: 3 },
        items: [
          { metadata: { name: 'a' } },
          { kind: 'Own', apiVersion: 'x/v1', metadata: { name: 'b' } },
        ],
      }),
    )
    const { client, asks } = meeting
    const page = await client.list(nodes, {
      labels: 'a=b',
      fields: 'metadata.name!=c',
      limit: 2,
      resourceVersion: '0',
      resourceVersionMatch: 'NotOlderThan',
    })
    expect(page).toEqual({
      items: [
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } },
        { kind: 'Own', apiVersion: 'x/v1', metadata: { name: 'b' } },
      ],
      resourceVersion: '812',
      continue: 'token',
    })
    const rest = await client.listMetadata(pods, {
      namespace: 'shop',
      continue: 'a/b',
      resourceVersion: '0',
    })
    expect(rest.items[0]).toMatchObject({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
    })
    expect(asks).toEqual([
      {
        method: 'GET',
        url: '/api/v1/nodes?labelSelector=a%3Db&fieldSelector=metadata.name!%3Dc&limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan',
        accept: json,
      },
      {
        method: 'GET',
        url: '/api/v1/namespaces/shop/pods?continue=a%2Fb',
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      },
    ])
  })

  it('accepts every form of an empty list', async () => {
    for (const list of [
      { metadata: { resourceVersion: '1' }, items: null },
      { metadata: { resourceVersion: '1', continue: '' } },
    ]) {
      await using meeting = await meet((_, response) => answer(response, 200, list))
      expect(await meeting.client.list(nodes)).toEqual({ items: [], resourceVersion: '1' })
    }
  })

  it.each([
    ['not a list', { kind: 'Node' }],
    ['items that are not objects', { metadata: {}, items: [1] }],
    ['items that are not an array', { metadata: {}, items: { a: 1 } }],
  ])('rejects a response that is not a list: %s', async (_, body) => {
    await using meeting = await meet((__, response) => answer(response, 200, body))
    const failure = await meeting.client.list(nodes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectionFailure)
  })

  it('sends raw requests to other paths', async () => {
    await using meeting = await meet((_, response) => response.writeHead(200).end('ok'))
    const { code, body } = await meeting.client.raw({ method: 'GET', path: '/readyz' })
    expect([code, Buffer.from(body).toString()]).toEqual([200, 'ok'])
  })
})

describe('writing', () => {
  it('patches and receives only the metadata', async () => {
    await using meeting = await meet((_, response) => answer(response, 200, node))
    await meeting.client.patchMetadata(pods, key, mergePatch({ metadata: {} }))
    expect(meeting.asks).toEqual([
      {
        method: 'PATCH',
        url: '/api/v1/namespaces/shop/pods/web',
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
        contentType: 'application/merge-patch+json',
        body: { metadata: {} },
      },
    ])
  })

  it('creates, replaces and patches', async () => {
    await using meeting = await meet((_, response) => answer(response, 200, node))
    const { client, asks } = meeting
    const map = { metadata: { name: 'm', namespace: 'shop' }, data: { a: '1' } }
    const sent = { apiVersion: 'v1', kind: 'ConfigMap', ...map }
    await client.create(configMaps, map, {
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
    })
    await client.replace(configMaps, map, { subresource: 'status', fieldManager: 'me' })
    await client.patch(nodes, { name: 'n1' }, mergePatch({ a: null }), { dryRun: true })
    const applied = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', managedFields: [{}] },
    }
    await client.patch(
      nodes,
      { name: 'n1' },
      apply(applied, { fieldManager: 'machinist', force: true }),
    )
    expect(asks).toEqual([
      {
        method: 'POST',
        url: '/api/v1/namespaces/shop/configmaps?dryRun=All&fieldManager=me&fieldValidation=Strict',
        accept: json,
        contentType: json,
        body: sent,
      },
      {
        method: 'PUT',
        url: '/api/v1/namespaces/shop/configmaps/m/status?fieldManager=me',
        accept: json,
        contentType: json,
        body: sent,
      },
      {
        method: 'PATCH',
        url: '/api/v1/nodes/n1?dryRun=All',
        accept: json,
        contentType: 'application/merge-patch+json',
        body: { a: null },
      },
      {
        method: 'PATCH',
        url: '/api/v1/nodes/n1?force=true&fieldManager=machinist',
        accept: json,
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
      },
    ])
  })

  it('posts to subresources', async () => {
    const token = { kind: 'TokenRequest', status: { token: 't' } }
    await using meeting = await meet((_, response) => answer(response, 201, token))
    const { client, asks } = meeting
    const body = { spec: { expirationSeconds: 600 } }
    expect(await client.act(serviceAccounts, key, body, { subresource: 'token' })).toEqual(token)
    const csr = { metadata: { name: 'csr-1' }, spec: { request: '', signerName: 's' } }
    await client.replace(certificateSigningRequests, csr, { subresource: 'approval' })
    expect(asks.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/namespaces/shop/serviceaccounts/web/token',
      'PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1/approval',
    ])
  })

  it('removes an object and returns it while the deletion is pending', async () => {
    const dying = {
      ...node,
      metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }
    const answers: object[] = [{ kind: 'Status', status: 'Success', details: { uid: 'u' } }, dying]
    await using meeting = await meet((_, response) => answer(response, 200, answers.shift()))
    const { client, asks } = meeting
    expect(await client.remove(nodes, { name: 'n1' })).toBeUndefined()
    const options = {
      propagation: 'Foreground',
      uid: 'u',
      resourceVersion: '7',
      graceSeconds: 0,
      dryRun: true,
    } as const
    expect(await client.remove(nodes, { name: 'n1' }, options)).toEqual(dying)
    expect(asks.map(({ body }) => body)).toEqual([
      { apiVersion: 'v1', kind: 'DeleteOptions' },
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u', resourceVersion: '7' },
        gracePeriodSeconds: 0,
        dryRun: ['All'],
      },
    ])
  })
})

describe('a ListWatch', () => {
  const line = (name: string): string =>
    `${JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '9' } } })}\n`

  it('is restricted to its scope, which a call can override', async () => {
    await using meeting = await meet((request, response) => {
      if (request.url!.includes('watch')) response.end(line('a'))
      else answer(response, 200, { metadata: { resourceVersion: '1' } })
    })
    const { client, asks } = meeting
    const { signal } = new AbortController()
    const scoped = client.listWatch(pods, {
      namespace: 'shop',
      labels: 'a',
      fields: 'spec.nodeName=n1',
    })
    await scoped.list({ limit: 1, namespace: undefined }, signal)
    const options = { resourceVersion: '5', bookmarks: true, timeoutSeconds: 300, idleMs: 1000 }
    const events: unknown[] = []
    for await (const event of scoped.watch(options, signal)) events.push(event)
    const metadata = client.listWatch(nodes, { metadataOnly: true })
    await metadata.list({ labels: 'b' }, signal)
    for await (const event of metadata.watch({ bookmarks: false }, signal)) events.push(event)
    expect(events).toHaveLength(2)
    expect(asks.map(({ url, accept }) => [url, accept])).toEqual([
      [
        '/api/v1/namespaces/shop/pods?labelSelector=a&fieldSelector=spec.nodeName%3Dn1&limit=1',
        json,
      ],
      [
        '/api/v1/namespaces/shop/pods?watch=true&labelSelector=a&fieldSelector=spec.nodeName%3Dn1&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300',
        json,
      ],
      [
        '/api/v1/nodes?labelSelector=b',
        'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      ],
      ['/api/v1/nodes?watch=true', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'],
    ])
  })
})

describe('listAll', () => {
  const page = (names: string[], next?: string): object => ({
    metadata: { resourceVersion: '1', continue: next },
    items: names.map((name) => ({ metadata: { name } })),
  })
  const expired = (offered?: string): object => ({
    kind: 'Status',
    status: 'Failure',
    code: 410,
    reason: 'Expired',
    message: 'The provided continue parameter is too old',
    metadata: { continue: offered },
  })

  /** The names that listAll yields for these responses, and the requests. */
  async function listing(
    answers: [number, object][],
  ): Promise<{ names: string[]; asks: string[]; failure?: unknown }> {
    const names: string[] = []
    await using meeting = await meet((_, response) => {
      const [code, body] = answers.shift()!
      answer(response, code, body)
    })
    const asks = (): string[] => meeting.asks.map(({ url }) => url.replace('/api/v1/nodes?', ''))
    try {
      for await (const item of meeting.client.listAll(nodes, { limit: 2 }))
        names.push(item.metadata.name)
      return { names, asks: asks() }
    } catch (failure) {
      return { names, asks: asks(), failure }
    }
  }

  it('reads the pages one by one', async () => {
    const got = await listing([
      [200, page(['a', 'b'], 'x')],
      [200, page(['c', 'd'], 'y')],
      [200, page(['e'])],
    ])
    expect(got).toEqual({
      names: ['a', 'b', 'c', 'd', 'e'],
      asks: ['limit=2', 'limit=2&continue=x', 'limit=2&continue=y'],
    })
  })

  it('continues from the token of an expired page', async () => {
    const got = await listing([
      [200, page(['a', 'b'], 'x')],
      [410, expired('inconsistent')],
      [200, page(['c'])],
    ])
    expect(got).toEqual({
      names: ['a', 'b', 'c'],
      asks: ['limit=2', 'limit=2&continue=x', 'limit=2&continue=inconsistent'],
    })
  })

  it('starts over without a token and yields nothing twice', async () => {
    const got = await listing([
      [200, page(['a', 'b'], 'x')],
      [410, expired()],
      [200, page(['a', 'aa'], 'y')],
      [200, page(['b', 'c'])],
    ])
    expect(got).toEqual({
      names: ['a', 'b', 'aa', 'c'],
      asks: ['limit=2', 'limit=2&continue=x', 'limit=2', 'limit=2&continue=y'],
    })
  })

  it('starts over a limited number of times, and only for an expired page', async () => {
    const many = Array.from({ length: 20 }, (_, i): [number, object] =>
      i === 0 ? [200, page(['a'], 'x')] : [410, expired('x')],
    )
    const endless = await listing(many)
    expect(endless.failure).toMatchObject({ code: 410 })
    expect(endless.asks).toHaveLength(7)
    const denied = await listing([
      [200, page(['a'], 'x')],
      [403, { kind: 'Status', code: 403 }],
    ])
    expect([denied.names, denied.failure]).toMatchObject([['a'], { code: 403 }])
    const first = await listing([[410, expired('x')]])
    expect(first.failure).toMatchObject({ code: 410 })
  })

  it('can be stopped early', async () => {
    await using meeting = await meet((_, response) => answer(response, 200, page(['a', 'b'], 'x')))
    for await (const item of meeting.client.listAll(nodes)) {
      expect(item.metadata.name).toBe('a')
      break
    }
    expect(meeting.asks.map(({ url }) => url)).toEqual(['/api/v1/nodes?limit=500'])
  })
})

describe('a path', () => {
  const custom = resource<KubeObject>({
    group: 'machineconfiguration.openshift.io',
    version: 'v1',
    kind: 'MachineConfig',
    plural: 'machineconfigs',
    namespaced: false,
  })

  it('contains group, version, namespace, name and subresource', () => {
    expect([
      resourcePath(nodes),
      resourcePath(pods),
      resourcePath(pods, { namespace: 'shop' }),
      resourcePath(pods, { namespace: 'shop', name: 'web', subresource: 'eviction' }),
      resourcePath(custom, { name: '00-worker' }),
    ]).toEqual([
      '/api/v1/nodes',
      '/api/v1/pods',
      '/api/v1/namespaces/shop/pods',
      '/api/v1/namespaces/shop/pods/web/eviction',
      '/apis/machineconfiguration.openshift.io/v1/machineconfigs/00-worker',
    ])
  })

  it('never leaves the collection', () => {
    expect(resourcePath(nodes, { name: '../secrets?x#y%2f z' })).toBe(
      '/api/v1/nodes/..%2Fsecrets%3Fx%23y%252f%20z',
    )
    for (const name of ['', '.', '..']) {
      expect(() => resourcePath(nodes, { name })).toThrow(InvalidInput)
      expect(() => resourcePath(pods, { namespace: name })).toThrow('is not a valid namespace')
    }
  })

  it('requires a namespace exactly for namespaced kinds', () => {
    expect(() => resourcePath(pods, { name: 'web' })).toThrow('pods: web requires a namespace')
    expect(() => resourcePath(nodes, { namespace: 'shop', name: 'n1' })).toThrow(
      'nodes: is cluster-scoped, so it has no namespace shop',
    )
  })
})
