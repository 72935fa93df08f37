import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { startServer } from '../../src/running-server.fixture.ts'

/** Requires a client that does not normalize paths; expected answers are from a real kube-apiserver. */
describe('unnormalized paths', () => {
  let server: RunningServer

  beforeAll(async () => {
    server = await startServer()
    const path = '/api/v1/namespaces/default/configmaps'
    await server.ask('POST', path, { body: { metadata: { name: 'a' } } })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const message = async (path: string): Promise<string> => {
    const { code, body } = await server.ask('GET', path)
    return `${code} ${String(body['message'])}`
  }

  it.each([
    '/api/v1/namespaces/default/configmaps/..',
    '/api/v1/namespaces/default/configmaps/%2e%2e',
    '/api/v1/nodes/..',
  ])('%s is not found', async (path) => {
    expect(await message(path)).toBe('400 Name parameter invalid: "..": may not be \'..\'')
  })

  it('with parent segments are not found', async () => {
    expect(await message('/api/v1/namespaces/default/../default/configmaps/a')).toBe(
      '404 the server could not find the requested resource',
    )
    const { code, body } = await server.ask('GET', '/api/v1/namespaces/../configmaps')
    expect([code, body['items']]).toEqual([200, []])
  })

  it('with invalid percent encoding close the connection', async () => {
    const { code, text, headers } = await server.ask('GET', '/api/v1/%zz', { token: undefined })
    expect([code, text]).toEqual([400, '400 Bad Request'])
    expect(headers['connection']).toBe('close')
  })
})
