import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { systemClock } from '@machinist/core/clock'
import { createLogger, silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { adminContext } from '@machinist/apiserver/embedded/admin-kubeconfig'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { Connected } from '../../process/connect.ts'
import { connect } from '../../process/connect.ts'
import { syncServingCertificate } from './serving-sync.ts'

const data = mkdtempSync(join(tmpdir(), 'machinist-sync-'))
const stop = new AbortController()
const validity = validFor(systemClock, 86_400_000)
const target = {
  namespace: 'openshift-kube-apiserver',
  name: 'external-loadbalancer-serving-certkey',
}
const published = { namespace: 'openshift-config-managed', name: 'kube-apiserver-server-ca' }
let api: EmbeddedApi
let connected: Connected
let following: Promise<void>
let next: KeyPair
/** All serving certificates so far. */
const served = new Set<string>()
let logged = ''

beforeAll(async () => {
  api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log: silentLogger })
  // Like every client in the process of a cluster, it trusts the CAs of the kubeconfig.
  connected = await connect({ kubeconfig: api.kubeconfig, context: adminContext })
  const tools = {
    client: connected.client,
    clock: systemClock,
    random: systemRandom,
    log: createLogger({ clock: systemClock, write: (line) => (logged += line) }),
    metrics: new Metrics(),
  }
  const serve = async (pair: KeyPair): Promise<void> => {
    served.add(new X509Certificate(pair.certificate).subject)
    await api.serve(pair)
  }
  following = syncServingCertificate(tools, { ...api, serve }, stop.signal)
  next = await createAuthority({ name: 'next', validity })
  for (const { namespace: name } of [target, published]) {
    await connected.client.create(namespaces, { metadata: { name } })
  }
})
afterAll(async () => {
  stop.abort()
  await following
  connected.close()
  await api.stop()
  rmSync(data, { recursive: true, force: true })
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const secretData = (pair: KeyPair): Record<string, string> => ({
  'tls.crt': base64(pair.certificate),
  'tls.key': base64(pair.key),
})

async function leafOf(authority: KeyPair, commonName: string): Promise<KeyPair> {
  const template = { commonName, ipAddresses: ['127.0.0.1'], usages: ['server'] as const, validity }
  const { certificate, key } = await issueCertificate(authority, template)
  return { certificate: certificate + authority.certificate, key }
}

/** The certificate of a new connection. */
const shown = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const port = Number(new URL(api.url).port)
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.subject)
      socket.end()
    })
    socket.on('error', reject)
  })

const untilShown = (subject: string): Promise<void> =>
  until(`${subject} is shown`, async () => (await shown()) === subject)

const publish = (ca: string): Promise<unknown> =>
  connected.client.patch(configMaps, published, mergePatch({ data: { 'ca-bundle.crt': ca } }))

const give = (pair: KeyPair): Promise<unknown> =>
  connected.client.patch(secrets, target, mergePatch({ data: secretData(pair) }))

describe('the certificate of the API server', () => {
  it('is the one of the Secret, once clients trust it', async () => {
    const { client } = connected
    expect(await shown()).toBe('CN=machinist-apiserver')
    const old = await leafOf(api.authority, 'old')
    await client.create(secrets, { metadata: target, data: secretData(old) })
    const ca = { 'ca-bundle.crt': api.authority.certificate }
    await client.create(configMaps, { metadata: published, data: ca })
    await untilShown('CN=old')
    const kept = new X509Certificate(readFileSync(join(data, 'pki/serving.pem')))
    expect(kept.subject).toBe('CN=old')
  })

  it('comes from a new CA when it is published, and the old CA is removed from the kubeconfig', async () => {
    const old = api.authority.certificate
    const text = readFileSync(api.kubeconfig, 'utf8')
    writeFileSync(api.kubeconfig, text.replace('current-context: machinist', 'current-context: my'))
    await publish(old + next.certificate)
    await until('the kubeconfig knows both', () => api.ca().includes(next.certificate))
    expect(api.ca()).toContain(old)
    await give(await leafOf(next, 'new'))
    await untilShown('CN=new')
    await publish(next.certificate)
    await until('the kubeconfig forgets the old one', () => api.ca() === next.certificate)
    expect(readFileSync(api.kubeconfig, 'utf8')).toContain('current-context: my')
    const again = await connect({ kubeconfig: api.kubeconfig, context: adminContext })
    expect((await again.client.get(secrets, target)).metadata.name).toBe(target.name)
    again.close()
  })

  it('stays while the given one would lock out clients, and changes afterwards', async () => {
    const stranger = await createAuthority({ name: 'stranger', validity })
    await give(await leafOf(stranger, 'strange'))
    await publish('no certificate')
    await publish(next.certificate + stranger.certificate.slice(0, 90))
    await give({ certificate: 'nothing', key: '' })
    await until('the problem is logged', () => logged.includes('tls.crt is not a certificate'))
    expect(await shown()).toBe('CN=new')
    expect(api.ca()).toBe(next.certificate)
    await give(await leafOf(next, 'newer'))
    await untilShown('CN=newer')
    expect([...served]).toEqual(['CN=old', 'CN=new', 'CN=newer'])
    // No client that uses the kubeconfig was ever rejected.
    expect((await connected.client.list(configMaps, { namespace: 'default' })).items).toEqual([])
  })
})
