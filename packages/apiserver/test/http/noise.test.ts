import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { startServer } from '../../src/running-server.fixture.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const paths = [
  '/api/v1/nodes',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/events',
  '/apis/apps/v1/namespaces/default/daemonsets',
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
]

describe('random requests', () => {
  it('are rejected or accepted, and never break the server', async () => {
    const metadata = fc.record(
      {
        name: fc.constantFrom('a', 'b', 'c', 5, null, ''),
        labels: fc.jsonValue({ maxDepth: 1 }),
        annotations: fc.jsonValue({ maxDepth: 1 }),
        finalizers: fc.jsonValue({ maxDepth: 1 }),
        ownerReferences: fc.jsonValue({ maxDepth: 2 }),
        managedFields: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['name'] },
    )
    const part = fc.jsonValue({ maxDepth: 3 })
    const object = fc.record(
      { metadata: fc.oneof(metadata, part), spec: part, status: part, data: part, roleRef: part },
      { requiredKeys: ['metadata'] },
    )
    const broken: unknown[] = []
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), object, async (path, body) => {
        const { code, text } = await server.ask('POST', path, { body })
        if (code === 500 && !text.includes('resourceVersion should not be set')) {
          broken.push([path, body])
        }
      }),
      { numRuns: 300 },
    )
    expect(broken).toEqual([])
    expect((await server.ask('GET', '/readyz')).text).toBe('ok')
  })
})
