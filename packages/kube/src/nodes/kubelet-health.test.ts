import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { kubeletHealthCheck } from './kubelet-health.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function kubelet(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`
}

const never = new AbortController().signal

describe('the kubelet health check', () => {
  it('returns the response', async () => {
    const url = await kubelet((request, response) => response.end(`ok ${request.url}`))
    expect(await kubeletHealthCheck(url)(never)).toBe('ok /healthz')
  })

  it('fails when the kubelet is unhealthy', async () => {
    const url = await kubelet((_, response) => response.writeHead(500).end('[-]syncloop failed'))
    await expect(kubeletHealthCheck(url)(never)).rejects.toThrow(
      `the kubelet returns 500 at ${url}`,
    )
  })

  it('fails when the kubelet does not listen', async () => {
    const url = await kubelet(() => {})
    servers.splice(0).forEach((server) => server.close())
    await expect(kubeletHealthCheck(url)(never)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('stops when the signal aborts', async () => {
    const url = await kubelet(() => {})
    const stop = new AbortController()
    const check = kubeletHealthCheck(url)(stop.signal)
    stop.abort()
    await expect(check).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('limits the response', async () => {
    const url = await kubelet((_, response) => response.end('x'.repeat(100_000)))
    expect(await kubeletHealthCheck(url)(never)).toHaveLength(4096)
  })

  it.for(['', 'localhost:10248', 'https://localhost/healthz', 'ftp://x'])(
    '%j is rejected as endpoint',
    (endpoint) => {
      expect(() => kubeletHealthCheck(endpoint)).toThrow(/is not a kubelet health endpoint/)
    },
  )
})
