import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { configMaps } from '@machinist/kube/kinds/core'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import type { EmbeddedApi } from './embedded-api.ts'
import { startEmbeddedApi } from './embedded-api.ts'

const day = 86_400_000
const data = mkdtempSync(join(tmpdir(), 'machinist-reload-'))
let api: EmbeddedApi
let token: string
let next: KeyPair
let serving: KeyPair

beforeAll(async () => {
  api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log: silentLogger })
  token = readFileSync(join(data, 'pki/admin.token'), 'utf8').trim()
  const validity = validFor(systemClock, day)
  next = await createAuthority({ name: 'next', validity })
  serving = withAuthority(
    next,
    await issueCertificate(next, {
      commonName: 'api',
      ipAddresses: ['127.0.0.1'],
      usages: ['server'],
      validity,
    }),
  )
})
afterAll(async () => {
  await api.stop()
  rmSync(data, { recursive: true, force: true })
})

const withAuthority = (authority: KeyPair, { certificate, key }: KeyPair): KeyPair => ({
  certificate: certificate + authority.certificate,
  key,
})

const path = '/api/v1/namespaces/default/configmaps'

/** A request of a client that trusts only these CAs. */
function ask(
  ca: string,
  { agent = false, path: at = path }: { agent?: Agent | false; path?: string } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${api.url}${at}`, { headers, agent, ca }, resolve).on('error', reject).end()
  })
}

const issuerOf = (answer: IncomingMessage): string =>
  (answer.socket as TLSSocket).getPeerX509Certificate()!.issuer

async function done(answer: IncomingMessage): Promise<number | undefined> {
  for await (const chunk of answer) void chunk
  return answer.statusCode
}

describe('a replaced serving certificate', { timeout: 120_000 }, () => {
  it('causes no failed and no closed connections', async () => {
    const old = api.authority.certificate
    const both = old + next.certificate
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const watches = await Promise.all(
      Array.from({ length: 20 }, () => ask(old, { path: `${path}?watch=true` })),
    )
    let ended = 0
    for (const watch of watches) watch.once('close', () => ended++)
    const deliveredRevision = watches.map((watch) =>
      createInterface({ input: watch })[Symbol.asyncIterator](),
    )
    const kept = await ask(old, { agent })
    const { localPort } = kept.socket
    expect(await done(kept)).toBe(200)

    // Handshakes happen before, during and after the change.
    const issuers: string[] = []
    const one = async (): Promise<void> => {
      const answer = await ask(both)
      issuers.push(issuerOf(answer))
      expect(await done(answer)).toBe(200)
    }
    const crowd: Promise<void>[] = []
    for (let wave = 0; wave < 10; wave++) {
      for (let i = 0; i < 30; i++) crowd.push(one())
      if (wave === 5) crowd.push(api.serve(serving))
      await crowd.at(-1)
    }
    await Promise.all(crowd)
    expect(issuers).toHaveLength(300)
    expect(new Set(issuers)).toEqual(new Set(['CN=machinist', 'CN=next']))
    const after = await ask(next.certificate)
    expect([issuerOf(after), await done(after)]).toEqual(['CN=next', 200])

    // Open connections continue, although their client does not trust the new certificate.
    const again = await ask(old, { agent })
    expect(again.socket.localPort).toBe(localPort)
    expect([issuerOf(again), await done(again)]).toEqual(['CN=machinist', 200])
    const client = await clientFrom(api.kubeconfig)
    await client.create(configMaps, { metadata: { namespace: 'default', name: 'news' } })
    const news = await Promise.all(deliveredRevision.map((lines) => nextNamed(lines, 'news')))
    expect(news).toHaveLength(20)
    expect(ended).toBe(0)
    await expect(ask(old)).rejects.toThrow('self-signed certificate in certificate chain')
    for (const watch of watches) watch.destroy()
    agent.destroy()
  })

  it('is trusted by the kubeconfig and served after a restart', async () => {
    const { mode } = statSync(join(data, 'pki/serving.pem'))
    expect(mode & 0o777).toBe(0o600)
    expect(readFileSync(join(data, 'pki/serving.pem'), 'utf8')).toBe(
      serving.certificate + serving.key,
    )
    expect(api.ca()).toBe(next.certificate)
    await api.stop()
    api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log: silentLogger })
    const answer = await ask(api.ca())
    expect([issuerOf(answer), await done(answer)]).toEqual(['CN=next', 200])
    const client = await clientFrom(api.kubeconfig)
    expect((await client.list(configMaps, { namespace: 'default' })).items).toHaveLength(1)
  })
})

async function nextNamed(lines: AsyncIterator<string>, name: string): Promise<string> {
  for (;;) {
    const { value, done: over } = await lines.next()
    if (over) throw new Error('the watch has ended')
    const event = JSON.parse(value) as { object: { metadata: { name: string } } }
    if (event.object.metadata.name === name) return name
  }
}
