import { generateKeyPairSync } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { until } from '@machinist/testing/until'
import { StaticTokens } from '../../src/authentication/static-tokens.ts'
import { ApiServer } from '../../src/http/api-server.ts'
import { MemoryStore } from '../../src/store/memory-store.ts'

const path = '/api/v1/namespaces/default/configmaps'
const token = 'administrators-token'

describe('a watch client that does not read', () => {
  const clock = new VirtualClock(systemClock.now())
  const store = new MemoryStore({ clock, log: silentLogger })
  let server: ApiServer

  beforeAll(async () => {
    const staticTokens = new StaticTokens()
    staticTokens.add(token, { username: 'admin', groups: ['system:masters'] })
    server = await ApiServer.start({
      store,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      staticTokens,
      signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    })
  })

  afterAll(async () => {
    await server.stop()
    await store.close()
  })

  const ask = (where: string, body?: object): Promise<Response> =>
    fetch(`${server.url}${where}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })

  const watchers = async (): Promise<number> => {
    const text = await (await ask('/metrics')).text()
    return Number(/^apiserver_watch_cache_watchers (\d+)$/m.exec(text)?.[1])
  }

  /** Starts a watch and stops reading after its headers. */
  async function stuckWatch(): Promise<{ readonly socket: Socket; rest(): Promise<string> }> {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => (text += part))
    // The server may reset the connection.
    socket.on('error', () => {})
    const head = `GET ${path}?watch=true&timeoutSeconds=99999 HTTP/1.1`
    socket.write(`${head}\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await until('the watch has begun', () => text.includes('\r\n\r\n'))
    socket.pause()
    return {
      socket,
      async rest() {
        const over = (): boolean => text.endsWith('\r\n0\r\n\r\n') || socket.closed
        socket.resume()
        await until('the end is read', over)
        return text
      },
    }
  }

  /** More than the kernel and the server buffer for a client that does not read. */
  async function writeMuch(prefix: string): Promise<number> {
    const most = 400
    const data = { x: 'y'.repeat(200_000) }
    for (let i = 0; i < most; i++) {
      const made = await ask(path, { metadata: { name: `${prefix}-${i}` }, data })
      expect(made.status).toBe(201)
      if ((await watchers()) === 0) return i + 1
    }
    throw new Error(`still watching after ${most} large objects`)
  }

  it('is disconnected, and can read a clean end', async () => {
    const watch = await stuckWatch()
    expect(await watchers()).toBe(1)
    const written = await writeMuch('slow')
    const text = await watch.rest()
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true)
    const seen = text.match(/"type":"ADDED"/g)?.length ?? 0
    expect(seen).toBeGreaterThan(0)
    // The rest was not sent: the client must restart the watch.
    expect(seen).toBeLessThan(written)
    watch.socket.destroy()
  })

  it('loses its connection if it still does not read', async () => {
    const watch = await stuckWatch()
    const written = await writeMuch('never')
    expect(written).toBeGreaterThan(0)
    await clock.advance(30_000)
    const text = await watch.rest()
    expect(watch.socket.closed).toBe(true)
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
  })
})
