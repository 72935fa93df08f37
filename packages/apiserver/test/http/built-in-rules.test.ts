import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RawResponse, RunningServer } from '../../src/running-server.fixture.ts'
import { startServer } from '../../src/running-server.fixture.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server[Symbol.asyncDispose]())

interface Seen {
  readonly code: number
  readonly seen: { spec: Record<string, unknown>; [field: string]: unknown }
}

const seen = ({ code, body }: RawResponse): Seen => ({
  code,
  seen: body as unknown as Seen['seen'],
})

async function ask(method: string, path: string, body?: unknown, headers = {}): Promise<Seen> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return seen(
    await server.ask(method, path, { body, headers: { 'content-type': type, ...headers } }),
  )
}

const inDefault = (plural: string): string => `/api/v1/namespaces/default/${plural}`

describe('services', () => {
  it('created at the same time have different addresses', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`)
    const made = await Promise.all(
      names.map((name) =>
        ask('POST', inDefault('services'), { metadata: { name }, spec: { ports: [{ port: 80 }] } }),
      ),
    )
    expect(made.map(({ code }) => code)).toEqual(names.map(() => 201))
    expect(new Set(made.map((one) => one.seen.spec['clusterIP'])).size).toBe(names.length)
  })

  it('release their address', async () => {
    const clusterIP = '10.0.0.254'
    const spec = { clusterIP, ports: [{ port: 80 }] }
    const path = inDefault('services')
    await ask('DELETE', `${path}/s0`)
    const first = await ask('POST', path, { metadata: { name: 'first' }, spec })
    expect([201, 422]).toContain(first.code)
    const holder = first.code === 201 ? 'first' : await holderOf(clusterIP)
    expect((await ask('POST', path, { metadata: { name: 'second' }, spec })).code).toBe(422)
    await ask('DELETE', `${path}/${holder}`)
    expect((await ask('POST', path, { metadata: { name: 'second' }, spec })).code).toBe(201)
  })
})

async function holderOf(clusterIP: string): Promise<string> {
  const list = await ask('GET', inDefault('services'))
  const items = list.seen['items'] as { metadata: { name: string }; spec: { clusterIP: string } }[]
  return items.find(({ spec }) => spec.clusterIP === clusterIP)!.metadata.name
}

describe('a binding', () => {
  it('assigns a node, once', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }] }
    await ask('POST', inDefault('pods'), { metadata: { name: 'p' }, spec })
    const path = inDefault('pods/p')
    expect((await ask('PATCH', path, { spec: { nodeName: 'n' } })).code).toBe(422)
    const binding = { metadata: { name: 'p' }, target: { name: 'n' } }
    expect((await ask('POST', `${path}/binding`, binding)).code).toBe(201)
    expect((await ask('GET', path)).seen.spec['nodeName']).toBe('n')
    expect((await ask('POST', `${path}/binding`, binding)).code).toBe(409)
  })

  it('waits for scheduling gates', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGates: [{ name: 'g' }] }
    await ask('POST', inDefault('pods'), { metadata: { name: 'gated' }, spec })
    const binding = { metadata: { name: 'gated' }, target: { name: 'n' } }
    const rejected = await ask('POST', inDefault('pods/gated/binding'), binding)
    expect(rejected.seen['message']).toBe(
      'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
    )
  })
})

describe('an update', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

  it('creates objects of kinds that allow it', async () => {
    const lease = { metadata: { name: 'l', resourceVersion: '5' }, spec: {} }
    expect((await ask('PUT', `${leases}/l`, lease)).code).toBe(201)
    expect((await ask('PUT', `${leases}/l`, lease)).code).toBe(409)
  })

  it('must match the object of the path', async () => {
    expect((await ask('PUT', `${leases}/m`, { metadata: { name: 'other' } })).code).toBe(400)
    expect((await ask('PUT', `${leases}/m`, { metadata: {} })).code).toBe(400)
    const elsewhere = { metadata: { name: 'm', namespace: 'kube-system' } }
    expect((await ask('PUT', `${leases}/m`, elsewhere)).code).toBe(400)
    const nowhere = leases.replace('default', 'nowhere')
    expect((await ask('PUT', `${nowhere}/m`, { metadata: { name: 'm' } })).code).toBe(404)
  })
})

describe('a signing request', () => {
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  const requested = (subject: string, name: string, signerName: string): object => ({
    metadata: { name },
    spec: { request: pemFor(subject).toString('base64'), signerName, usages: ['client auth'] },
  })

  it('records the requesting user', async () => {
    const made = await ask('POST', requests, requested('/CN=x', 'a', 'example.org/t'))
    expect(made.seen.spec).toMatchObject({
      username: 'admin',
      groups: ['system:masters', 'system:authenticated'],
    })
  })

  it('for system:masters is rejected', async () => {
    const signer = 'kubernetes.io/kube-apiserver-client'
    const made = await ask('POST', requests, requested('/O=system:masters/CN=x', 'b', signer))
    expect(made.code).toBe(403)
    expect((await ask('POST', requests, requested('/O=other/CN=x', 'b', signer))).code).toBe(201)
  })
})

function pemFor(subject: string): Buffer {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const options = [...key, '-keyout', '/dev/null', '-subj', subject]
  return execFileSync('openssl', ['req', '-new', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}
