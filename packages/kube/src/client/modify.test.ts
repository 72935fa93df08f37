import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { runUntil } from '@machinist/testing/until'
import { answer, serve } from '@machinist/testing/servers/http-server'
import { fixedConnection } from '../connection/connection.ts'
import type { ConfigMap } from '../kinds/core.ts'
import { configMaps } from '../kinds/core.ts'
import { HttpTransport } from '../transport/http-transport.ts'
import { modify } from './modify.ts'
import { KubeClient } from './client.ts'

const key = { namespace: 'shop', name: 'counter' }

interface Shop extends AsyncDisposable {
  readonly client: KubeClient
  readonly clock: VirtualClock
  readonly asks: string[]
  stored: ConfigMap
  /** Number of writes of another client before ours. */
  rivals: number
}

/** A server with one ConfigMap and optimistic concurrency. */
async function shop(): Promise<Shop> {
  const clock = new VirtualClock()
  const asks: string[] = []
  const server = await serve((request, response, body) => {
    asks.push(`${request.method} ${request.url}`)
    const { metadata } = it.stored
    if (request.method === 'GET') return answer(response, 200, it.stored)
    const rival = it.rivals-- > 0
    if (rival) metadata.resourceVersion = String(Number(metadata.resourceVersion) + 1)
    const desired = JSON.parse(body) as ConfigMap
    if (desired.metadata.resourceVersion !== metadata.resourceVersion) {
      return answer(response, 409, {
        kind: 'Status',
        code: 409,
        reason: 'Conflict',
        message: 'modified',
      })
    }
    it.stored = desired
    answer(response, 200, desired)
  })
  const connection = fixedConnection({ server: server.url, tls: {}, headers: {} })
  const transport = new HttpTransport({ connection, clock, timeoutMs: 3_600_000 })
  const it: Shop = {
    client: new KubeClient({ transport, clock, random: seededRandom(1) }),
    clock,
    asks,
    rivals: 0,
    stored: { metadata: { ...key, resourceVersion: '1' }, data: { count: '0' } },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return it
}

const counted = (current: ConfigMap): ConfigMap => ({
  ...current,
  data: { count: String(Number(current.data?.['count']) + 1) },
})

/** Advances virtual time until the promise has settled. */
async function inTime<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let over = false
  const settle = (): void => {
    over = true
  }
  promise.then(settle, settle)
  await runUntil(clock, 'it is done', () => over)
  return await promise
}

describe('modify', () => {
  it('reads, changes and replaces the object', async () => {
    await using at = await shop()
    const done = await modify(at.client, configMaps, key, counted, { fieldManager: 'me' })
    expect(done.data).toEqual({ count: '1' })
    const path = '/api/v1/namespaces/shop/configmaps/counter'
    expect(at.asks).toEqual([`GET ${path}`, `PUT ${path}?fieldManager=me`])
  })

  it('retries after a conflict', async () => {
    await using at = await shop()
    at.rivals = 2
    const seen: (string | undefined)[] = []
    const change = (current: ConfigMap): ConfigMap => {
      seen.push(current.metadata.resourceVersion)
      return counted(current)
    }
    const done = await inTime(at.clock, modify(at.client, configMaps, key, change))
    expect(done.data).toEqual({ count: '1' })
    expect(seen).toEqual(['1', '2', '3'])
  })

  it('fails after the maximum number of attempts', async () => {
    await using at = await shop()
    at.rivals = 100
    const failing = modify(at.client, configMaps, key, counted, { tries: 3 })
    await expect(inTime(at.clock, failing)).rejects.toMatchObject({ code: 409, reason: 'Conflict' })
    expect(at.asks.filter((ask) => ask.startsWith('PUT'))).toHaveLength(3)
  })

  it('writes nothing if nothing changes', async () => {
    await using at = await shop()
    for (const same of [() => undefined, (current: ConfigMap) => structuredClone(current)]) {
      expect(await modify(at.client, configMaps, key, same)).toEqual(at.stored)
    }
    expect(at.asks.map((ask) => ask.slice(0, 3))).toEqual(['GET', 'GET'])
  })

  it('stops when the signal aborts, and throws other failures', async () => {
    await using at = await shop()
    at.rivals = 100
    const stop = new AbortController()
    const failing = modify(at.client, configMaps, key, counted, { signal: stop.signal })
    const reason = new Error('stopped')
    stop.abort(reason)
    await expect(failing).rejects.toBe(reason)
    const wrong = new Error('cannot count')
    const throwing = (): never => {
      throw wrong
    }
    await expect(modify(at.client, configMaps, key, throwing)).rejects.toBe(wrong)
  })
})
