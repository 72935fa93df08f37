import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { createAuthority, validFor } from '@machinist/pki/issue'
import type { PageGuard } from './page-guard.ts'
import type { Page, ServedPages } from './pages.ts'
import { servePages } from './pages.ts'

const served: ServedPages[] = []
afterEach(async () => {
  for (const each of served.splice(0)) await each.stop()
})

const local = { host: '127.0.0.1', port: 0 }

async function ownIdentity(): Promise<PageGuard['identity']> {
  const validity = validFor(systemClock, 86_400_000)
  const { certificate: cert, key } = await createAuthority({ name: 'metrics', validity })
  return { cert, key }
}

async function serve(pages: Record<string, Page>): Promise<string> {
  const each = await servePages(pages, local, 'health')
  served.push(each)
  return each.url
}

describe('servePages', () => {
  it('responds with a text, or with the reason why it is not ready', async () => {
    let why: string | undefined = 'not yet'
    const ready: Page = () => (why === undefined ? 'ok\n' : { notReady: why })
    const url = await serve({ '/readyz': ready })
    const before = await fetch(`${url}/readyz`)
    expect([before.status, await before.text()]).toEqual([503, 'not yet\n'])
    why = undefined
    const after = await fetch(`${url}/readyz?verbose`)
    expect([after.status, await after.text()]).toEqual([200, 'ok\n'])
    expect(after.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('rejects other pages and methods', async () => {
    const url = await serve({ '/healthz': () => 'ok\n' })
    expect((await fetch(`${url}/constructor`)).status).toBe(404)
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404)
  })

  it('listens on all addresses without a host', async () => {
    const each = await servePages({ '/livez': () => 'ok\n' }, { host: '', port: 0 }, 'health')
    served.push(each)
    expect(each.url).toMatch(/^http:\/\/localhost:\d+$/)
    const { port } = new URL(each.url)
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
  })

  it('responds while a client holds the maximum number of connections', async () => {
    const url = await serve({ '/livez': () => 'ok\n' })
    const port = Number(new URL(url).port)
    const held: Socket[] = []
    for (let at = 0; at < 150; at++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      held.push(socket)
    }
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    for (const socket of held) socket.destroy()
  })

  it('limits the pipelined requests of a connection', async () => {
    let requests = 0
    const released = Promise.withResolvers<undefined>()
    const guard: PageGuard = {
      identity: await ownIdentity(),
      onRenewal: () => () => {},
      rejection: () => {
        if (++requests === 20) released.resolve(undefined)
        return released.promise
      },
    }
    const each = await servePages({ '/metrics': () => 'numbers 1\n' }, local, 'metrics', guard)
    served.push(each)
    const port = Number(new URL(each.url).port)
    const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
    let text = ''
    const answered = Promise.withResolvers<void>()
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.split('HTTP/1.1 ').length > 50) answered.resolve()
    })
    socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(50))
    await answered.promise
    socket.destroy()
    expect(text.split('numbers 1').length - 1).toBe(20)
    expect(requests).toBe(20)
  })

  it('reports an address in use, and stops completely', async () => {
    const port = Number(new URL(await serve({})).port)
    let isRenewing = false
    const guard: PageGuard = {
      identity: await ownIdentity(),
      onRenewal: () => {
        isRenewing = true
        return () => void (isRenewing = false)
      },
      rejection: () => Promise.resolve(undefined),
    }
    const again = servePages({}, { ...local, port }, 'metrics', guard)
    await expect(again).rejects.toThrow(InvalidInput)
    await expect(again).rejects.toThrow(`cannot serve metrics at 127.0.0.1:${port}: `)
    expect(isRenewing).toBe(false)
  })
})
