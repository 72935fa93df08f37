import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { runUntil } from '@machinist/testing/until'
import { authority, TestServer } from './running-server.ts'

/** The certificate of a new connection. */
async function presented(server: TestServer): Promise<string> {
  const { hostname: host, port } = new URL(server.secure)
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

async function getWith(server: TestServer, agent: Agent): Promise<TLSSocket> {
  const outgoing = request(`${server.secure}/config/worker`, { agent })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream]
  response.resume()
  await once(response, 'end')
  return outgoing.socket as TLSSocket
}

describe('a new serving certificate', () => {
  it('is presented to new connections, and open ones continue', async () => {
    const clock = new VirtualClock()
    await using server = await TestServer.start({ clock })
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate })
    const open = await getWith(server, agent)
    const before = await presented(server)
    const next = createAuthority('next').issueServer()
    server.present(next)
    await runUntil(
      clock,
      'it is read',
      () => server.logged.includes('serving a new certificate'),
      5000,
    )
    expect(await presented(server)).not.toBe(before)
    expect(await getWith(server, agent)).toBe(open)
    expect(server.metrics.text()).toMatch(
      /^machinist_server_certificate_expiry_timestamp_seconds \d{10}$/m,
    )
    agent.destroy()
  })

  it.each([
    ['whose key is not written yet', (next: Pair, old: Pair) => ({ ...next, key: old.key })],
    ['that is empty', () => ({ certificate: '', key: '' })],
    ['that is cut off', (next: Pair) => ({ ...next, certificate: next.certificate.slice(0, 200) })],
    ['without a key', (next: Pair) => ({ ...next, key: '' })],
  ])('%s leaves the last one in use, and is logged once', async (_, broken) => {
    const clock = new VirtualClock()
    await using server = await TestServer.start({ clock })
    const old = {
      certificate: server.files.contents.get('tls.crt')!,
      key: server.files.contents.get('tls.key')!,
    }
    const before = await presented(server)
    const next = authority.issueServer()
    server.present(broken(next, old))
    await runUntil(clock, 'it is logged', () => server.logged.includes('is not usable'), 5000)
    await clock.advance(60_000)
    expect(server.logged.split('is not usable')).toHaveLength(3)
    expect(await presented(server)).toBe(before)
    expect((await server.getSecure('/config/worker')).code).toBe(200)
    server.present(next)
    await runUntil(
      clock,
      'it is read',
      () => server.logged.includes('serving a new certificate'),
      5000,
    )
    expect(await presented(server)).not.toBe(before)
  })

  it('is never half of one under load: every handshake succeeds', async () => {
    const clock = new VirtualClock()
    await using server = await TestServer.start({ clock })
    const seen = new Set<string>()
    for (let i = 0; i < 5; i++) {
      server.present(authority.issueServer())
      const handshakes = Array.from({ length: 20 }, () => presented(server))
      await clock.advance(10_000)
      for (const fingerprint of await Promise.all(handshakes)) seen.add(fingerprint)
    }
    expect(seen.size).toBeGreaterThan(1)
  })
})

it('a server without a certificate does not start', async () => {
  await expect(
    TestServer.start({
      secure: {
        address: { host: '127.0.0.1', port: 0 },
        certificate: { cert: '/none/tls.crt', key: '/none/tls.key' },
        files: { read: () => Promise.reject(new Error('ENOENT: no such file')) },
      },
    }),
  ).rejects.toThrow(
    'the serving certificate (/none/tls.crt, /none/tls.key) is not usable: ENOENT: no such file',
  )
})

interface Pair {
  readonly certificate: string
  readonly key: string
}
