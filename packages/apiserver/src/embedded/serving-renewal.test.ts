import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { systemClock } from '@machinist/core/clock'
import { createLogger, silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KeyPair } from '@machinist/pki/issue'
import type { EmbeddedApi } from './embedded-api.ts'
import { startEmbeddedApi } from './embedded-api.ts'
import { renewServing } from './serving-renewal.ts'

const day = 86_400_000
const hour = 3_600_000

describe('a serving certificate', () => {
  const data = mkdtempSync(join(tmpdir(), 'machinist-renewal-'))
  const clock = new VirtualClock(systemClock.now())
  let api: EmbeddedApi
  let token: string
  let authority: X509Certificate

  beforeAll(async () => {
    api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log: silentLogger, clock })
    token = readFileSync(join(data, 'pki/admin.token'), 'utf8').trim()
    authority = new X509Certificate(readFileSync(join(data, 'pki/authority.pem'), 'utf8'))
  })

  afterAll(async () => {
    await api.stop()
    rmSync(data, { recursive: true, force: true })
  })

  /** The certificate of a new connection. */
  const shown = (): Promise<X509Certificate> =>
    new Promise((resolve, reject) => {
      const port = Number(new URL(api.url).port)
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()!)
        socket.end()
      })
      socket.on('error', reject)
    })

  const ask = (method: string, path: string, body?: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      // One of the certificates is not valid yet by the system clock.
      const how = { method, headers, agent: false, rejectUnauthorized: false } as const
      const requested = request(`${api.url}${path}`, how, resolve)
      requested.on('error', reject)
      requested.end(body && JSON.stringify(body))
    })

  it('is renewed while watches continue', async () => {
    const path = '/api/v1/namespaces/default/configmaps'
    const watch = await ask('GET', `${path}?watch=true&timeoutSeconds=99999999`)
    const lines = createInterface({ input: watch })[Symbol.asyncIterator]()
    const first = await shown()

    clock.jump(291 * day)
    await clock.advance(hour)
    expect((await shown()).fingerprint256).toBe(first.fingerprint256)

    clock.jump(day)
    await clock.advance(hour)
    await until('another certificate is shown', async () => {
      return (await shown()).fingerprint256 !== first.fingerprint256
    })
    const second = await shown()
    expect(second.checkIssued(authority) && second.verify(authority.publicKey)).toBe(true)
    expect(second.checkIP('127.0.0.1')).toBe('127.0.0.1')
    const life = second.validToDate.getTime() - clock.now()
    expect(Math.round(life / day)).toBe(365)
    expect(new X509Certificate(readFileSync(join(data, 'pki/serving.pem'))).fingerprint256).toBe(
      second.fingerprint256,
    )

    const made = await ask('POST', path, { metadata: { name: 'after' } })
    expect(made.statusCode).toBe(201)
    const { value } = await lines.next()
    expect(JSON.parse(String(value))).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'after' } },
    })
    watch.destroy()
  })

  it('that was replaced on disk is served', async () => {
    const before = await shown()
    const file = join(data, 'pki/serving.pem')
    const own = readFileSync(file, 'utf8')
    rmSync(file)
    await clock.advance(hour)
    await until('a new one is made and shown', async () => {
      return (await shown()).fingerprint256 !== before.fingerprint256
    })
    writeFileSync(file, own)
    await clock.advance(hour)
    await until('the one on disk is shown', async () => {
      return (await shown()).fingerprint256 === before.fingerprint256
    })
    expect(readFileSync(file, 'utf8')).toBe(own)
  })
})

describe('certificate renewal', () => {
  it('is retried an hour after a failure, until stopped', async () => {
    const clock = new VirtualClock()
    const logged: string[] = []
    const presented: string[] = []
    const shown = {
      serving: { certificate: 'one', key: '' },
      show: (serving: KeyPair): Promise<void> => {
        presented.push(serving.certificate)
        shown.serving = serving
        return Promise.resolve()
      },
    }
    const loads = [
      () => Promise.reject(new Error('no space left')),
      () => Promise.resolve({ certificate: 'one', key: '' }),
      () => Promise.resolve({ certificate: 'two', key: '' }),
      () => Promise.resolve({ certificate: 'two', key: '' }),
    ]
    const stop = renewServing({
      clock,
      log: createLogger({ clock, write: (line) => logged.push(line) }),
      presented: shown,
      load: () => loads.shift()!(),
    })
    await clock.advance(2 * hour)
    expect(presented).toEqual([])
    expect(logged.join('')).toContain('no space left')
    await clock.advance(2 * hour)
    expect(presented).toEqual(['two'])
    stop()
    await clock.advance(hour)
    expect([loads.length, clock.pending]).toEqual([0, 0])
  })
})
