import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { StaticTokens } from '../../src/authentication/static-tokens.ts'
import { ApiServer } from '../../src/http/api-server.ts'
import { MemoryStore } from '../../src/store/memory-store.ts'

const day = 86_400_000

describe('client certificates in a handshake', () => {
  const servers = createAuthority('servers')
  const clients = createAuthority('clients')
  const middle = clients.issueAuthority('middle')
  const jane = middle.issueClient('jane', 'staff')
  const clock = new VirtualClock(systemClock.now() + 60_000)
  const store = new MemoryStore({ clock, log: silentLogger })
  let server: ApiServer

  beforeAll(async () => {
    const { certificate, key } = servers.issueServer()
    server = await ApiServer.start({
      store,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      staticTokens: new StaticTokens(),
      signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      clientAuthorities: () => [new X509Certificate(clients.certificate)],
      tls: { cert: certificate, key, requestCert: true, rejectUnauthorized: false },
    })
  })

  afterAll(async () => {
    await server.stop()
    await store.close()
  })

  interface Seen {
    readonly code: number | undefined
    readonly user: string | undefined
    readonly resumed: boolean
  }

  const ask = (agent: Agent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const headers = { 'content-type': 'application/json' }
      const requested = request(`${server.url}${path}`, { method: 'POST', agent, headers }, resolve)
      requested.on('error', reject)
      requested.end('{}')
    })

  const whoAmI = async (agent: Agent): Promise<Seen> => {
    const answer = await ask(agent)
    const { status } = (await json(answer)) as { status?: { userInfo?: { username: string } } }
    const resumed = (answer.socket as TLSSocket).isSessionReused()
    return { code: answer.statusCode, user: status?.userInfo?.username, resumed }
  }

  const agentOf = (...certificates: string[]): Agent =>
    new Agent({ ca: servers.certificate, cert: certificates.join(''), key: jane.key })

  it('are accepted with intermediates, and rejected without', async () => {
    const whole = agentOf(jane.certificate, middle.certificate)
    expect(await whoAmI(whole)).toMatchObject({ code: 201, user: 'jane' })
    expect(await whoAmI(agentOf(jane.certificate))).toMatchObject({ code: 401 })
  })

  it('are accepted on the next connection', async () => {
    const agent = agentOf(jane.certificate, middle.certificate)
    for (let i = 0; i < 3; i++) {
      expect(await whoAmI(agent)).toEqual({ code: 201, user: 'jane', resumed: false })
    }
  })

  it('are valid by the clock of the server', async () => {
    const agent = agentOf(jane.certificate, middle.certificate)
    clock.jump(-day)
    expect((await whoAmI(agent)).code).toBe(401)
    clock.jump(4 * day)
    expect((await whoAmI(agent)).code).toBe(401)
    clock.jump(-3 * day)
    expect((await whoAmI(agent)).code).toBe(201)
  })
})
