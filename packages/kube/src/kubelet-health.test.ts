import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { askKubelet } from './kubelet-health.ts'

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

describe('asking a kubelet how it is', () => {
  it('gives its answer', async () => {
    const url = await kubelet((request, response) => response.end(`ok ${request.url}`))
    expect(await askKubelet(url)(never)).toBe('ok /healthz')
  })

  it('fails when it is not well', async () => {
    const url = await kubelet((_, response) => response.writeHead(500).end('[-]syncloop failed'))
    await expect(askKubelet(url)(never)).rejects.toThrow(`the kubelet answers 500 at ${url}`)
  })

  it('fails when nobody listens', async () => {
    const url = await kubelet(() => {})
    servers.splice(0).forEach((server) => server.close())
    await expect(askKubelet(url)(never)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('ends when it is told to', async () => {
    const url = await kubelet(() => {})
    const stop = new AbortController()
    const asked = askKubelet(url)(stop.signal)
    stop.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('reads no more than a few words', async () => {
    const url = await kubelet((_, response) => response.end('x'.repeat(100_000)))
    expect(await askKubelet(url)(never)).toHaveLength(4096)
  })

  it.for(['', 'localhost:10248', 'https://localhost/healthz', 'ftp://x'])(
    '%j is no address of one',
    (endpoint) => {
      expect(() => askKubelet(endpoint)).toThrow(/is not where a kubelet tells its health/)
    },
  )
})
