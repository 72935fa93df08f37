import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { AuditedRequest } from '../../src/http/messages/audit.ts'
import type { RawRequest, RunningServer } from '../../src/running-server.fixture.ts'
import { mergePatch, startServer } from '../../src/running-server.fixture.ts'

const received: AuditedRequest[] = []
let server: RunningServer

beforeAll(async () => {
  server = await startServer((request) => received.push(request))
})
afterAll(() => server[Symbol.asyncDispose]())

/** Sends a request and returns its audit events. */
async function ask(
  method: string,
  path: string,
  requested: RawRequest = {},
): Promise<AuditedRequest[]> {
  const before = received.length
  const headers = { 'user-agent': 'somebody/1.0 (worker-0)', ...requested.headers }
  await server.ask(method, path, { ...requested, headers })
  await until('the sink has received it', () => received.length > before)
  return received.slice(before)
}

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
const admin = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }

describe('the audit sink', () => {
  it('receives user, verb, object and code of each request, once', async () => {
    const reported = await ask('POST', '/api/v1/nodes?fieldManager=x', { body: node })
    expect(reported).toEqual([
      {
        auditId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receivedAt: expect.any(Number),
        endedAt: expect.any(Number),
        verb: 'create',
        uri: '/api/v1/nodes?fieldManager=x',
        userAgent: 'somebody/1.0 (worker-0)',
        sourceIP: '127.0.0.1',
        user: admin,
        object: { group: '', version: 'v1', resource: 'nodes' },
        code: 201,
      },
    ])
    expect(reported[0]!.endedAt).toBeGreaterThanOrEqual(reported[0]!.receivedAt)
  })

  it('receives subresources, groups, namespaces and names', async () => {
    const body = { status: { nodeInfo: { bootID: 'x' } } }
    const [patched] = await ask('PATCH', '/api/v1/nodes/n1/status', { body, headers: mergePatch })
    expect(patched).toMatchObject({ verb: 'patch', code: 200 })
    expect(patched!.object).toEqual({
      group: '',
      version: 'v1',
      resource: 'nodes',
      subresource: 'status',
      name: 'n1',
    })
    const [listed] = await ask(
      'GET',
      '/apis/apps/v1/namespaces/default/deployments?fieldSelector=metadata.name%3Dweb',
    )
    expect(listed).toMatchObject({ verb: 'list', code: 200 })
    expect(listed!.object).toEqual({
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      namespace: 'default',
      name: 'web',
    })
  })

  it('receives rejected, anonymous and non-resource requests', async () => {
    const nobody = { username: 'nobody', groups: ['system:authenticated'] }
    const cases = [
      ['GET', '/api/v1/nodes/absent', {}, { verb: 'get', code: 404, user: admin }],
      ['GET', '/api/v1/nodes', { token: 'nobodys-token' }, { code: 403, user: nobody }],
      ['GET', '/version', {}, { verb: 'get', uri: '/version', code: 200 }],
    ] as const
    for (const [method, path, requested, expected] of cases) {
      expect(await ask(method, path, requested)).toEqual([expect.objectContaining(expected)])
    }
    const [stranger] = await ask('GET', '/api/v1/nodes', { token: 'made-up' })
    expect(stranger!.code).toBe(401)
    expect(stranger).not.toHaveProperty('user')
    const [broken] = await ask('GET', '/api/v1/%zz')
    expect(broken).toMatchObject({ verb: '', uri: '/api/v1/%zz', code: 400 })
    expect(broken).not.toHaveProperty('object')
  })

  it('receives a watch when it has ended', async () => {
    const before = received.length
    const watching = new AbortController()
    const url = `${server.url}/api/v1/nodes?watch=true`
    const headers = { authorization: 'Bearer administrators-token' }
    const answer = await fetch(url, { headers, signal: watching.signal })
    await answer.body!.getReader().read()
    expect(received.slice(before)).toEqual([])
    watching.abort()
    await until('it has ended', () => received.length > before)
    expect(received.slice(before)).toEqual([expect.objectContaining({ verb: 'watch', code: 200 })])
  })

  it('uses the audit id of the client', async () => {
    const [reported] = await ask('GET', '/version', { headers: { 'audit-id': 'abc-1' } })
    expect(reported!.auditId).toBe('abc-1')
  })
})
