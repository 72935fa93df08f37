import { once } from 'node:events'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch, WatchOptions } from '@machinist/kube/list-watch'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { sampleToken, tokenSecret } from '../../../../src/fleet/provisioning/token.fixture.ts'
import { allowed, RunningAccess } from './running-access.ts'

const namespace = 'machinist-provisioning'
const key = { namespace, name: 'lab' }
const [a, b] = [sampleToken('a'), sampleToken('b')]

/** Runs on the embedded API server and on a real one. */
export function accessCases(client: KubeClient): void {
  const servers: RunningAccess[] = []
  let started = 0
  const start = async (through = client): Promise<RunningAccess> => {
    const server = new RunningAccess(through, ++started)
    servers.push(server)
    expect(await server.synced).toBe(true)
    return server
  }
  const create = (
    annotations: Record<string, string> = {},
    texts = { token: a },
  ): Promise<Secret> => {
    const { metadata, ...secret } = tokenSecret(annotations, texts)
    const { uid: _, resourceVersion: __, ...fresh } = metadata
    return client.create(secrets, { ...secret, metadata: fresh })
  }

  beforeAll(() => client.create(namespaces, { metadata: { name: namespace } }))
  beforeEach(async () => {
    for await (const { metadata } of client.listAll(secrets, { namespace })) {
      await client.remove(secrets, { namespace, name: metadata.name })
    }
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })

  it('gives the config to clients with a token of the pool', async () => {
    await create()
    const server = await start()
    expect(await server.ask(a)).toBe(allowed)
    expect(await server.ask(undefined)).toBe('401 NoToken')
    expect(await server.ask(b)).toBe('401 UnknownToken')
    expect(await server.ask('short')).toBe('401 UnknownToken')
    expect(await server.ask(a, '10.0.0.5', 'infra')).toBe('401 UnknownToken')
    expect(server.metrics.text()).toContain(
      'machinist_server_refusals_total{reason="UnknownToken"} 3\n',
    )
  })

  it('knows a token as soon as it exists, even if its watch lags', async () => {
    const server = await start(withSource(client, (source) => ({ ...source, watch: silence })))
    await create()
    expect(await server.ask(a)).toBe(allowed)
    await client.remove(secrets, key)
    expect(await server.ask(a)).toBe('401 UnknownToken')
  })

  it('revokes the token of a deleted Secret by its watch', async () => {
    await create()
    const server = await start()
    expect(await server.ask(a)).toBe(allowed)
    await client.remove(secrets, key)
    await until('the token is revoked', async () => (await server.ask(a)) === '401 UnknownToken')
  })

  it('gives 503, not 401, if it cannot confirm that a token is unknown', async () => {
    const away = (): never => {
      throw new Error('away')
    }
    const server = await start(
      withSource(client, (source) => ({ ...source, watch: silence }), away),
    )
    expect(await server.ask(a)).toBe('503 TokensUnavailable')
    expect(server.logged).toContain('cannot read provisioning tokens')
    expect(server.logged).not.toContain(a)
  })

  it('ignores a Secret with an unreadable limit, and logs why', async () => {
    await create({ 'token-cidrs': '10.0.0.0' })
    const server = await start()
    expect(await server.ask(a)).toBe('401 UnknownToken')
    expect(server.logged).toContain('annotation machinist.dev/token-cidrs must be')
  })

  it('checks the ranges of a token', async () => {
    await create({ 'token-cidrs': '10.0.0.0/8,fd00::/8' })
    const server = await start()
    expect(await server.ask(a, '::ffff:10.9.9.9')).toBe(allowed)
    expect(await server.ask(a, 'fd00::1')).toBe(allowed)
    expect(await server.ask(a, '192.0.2.1')).toBe('403 AddressNotAllowed')
  })

  describe('a single-use token', () => {
    it('is used by one of many clients at several servers, and only it may repeat the request', async () => {
      await create({ 'token-uses': '1' })
      const three = [await start(), await start(), await start()]
      const addresses = Array.from({ length: 12 }, (_, i) => `10.0.0.${i}`)
      const answers = await Promise.all(
        addresses.map((address, i) => three[i % 3]!.ask(a, address)),
      )
      const winners = addresses.filter((_, i) => answers[i] === allowed)
      expect(winners).toHaveLength(1)
      expect(answers.filter((each) => each === '401 UsedToken')).toHaveLength(11)
      const { metadata } = await client.get(secrets, key)
      expect(metadata.annotations?.['machinist.dev/token-used-by']).toBe(winners[0])
      for (const server of three) {
        expect(await server.ask(a, winners[0])).toBe(allowed)
        await server.clock.advance(600_000)
        expect(await server.ask(a, winners[0])).toBe('401 UsedToken')
      }
    })

    it('is not used by a client that may not use it', async () => {
      await create({ 'token-uses': '1', 'token-cidrs': '10.0.0.0/8' })
      const server = await start()
      expect(await server.ask(a, '192.0.2.1')).toBe('403 AddressNotAllowed')
      expect(await server.ask(a, '10.0.0.5')).toBe(allowed)
    })
  })

  it('limits refusals per address, but never a client with a valid token', async () => {
    await create()
    const server = await start()
    const answers: unknown[] = []
    for (let i = 0; i < 30; i++) answers.push(await server.ask(undefined, '10.0.0.7'))
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '401 NoToken'))
    expect(answers.at(-1)).toBe('429 TooManyRefusals')
    expect(await server.ask(a, '10.0.0.7')).toBe(allowed)
    expect(await server.ask(undefined, '10.0.0.8')).toBe('401 NoToken')
    await server.clock.advance(60_000)
    expect(await server.ask(undefined, '10.0.0.7')).toBe('401 NoToken')
  })

  it('emits one event per reason and window, without any token', async () => {
    await create({ 'token-expires-at': '2025-01-01T00:00:00Z' })
    const server = await start()
    for (const token of [a, a, b, b, undefined, undefined]) await server.ask(token)
    await server.events.flush()
    const all = await Array.fromAsync(client.listAll(coreEvents))
    const ours = all.filter(({ reportingInstance }) => reportingInstance === server.instance)
    const texts = ours.map(({ reason, message, count }) => `${reason} ${count}: ${message}`)
    const refused = 'ConfigRefused 1: refused a request for the config from 10.0.0.5: '
    expect(texts.map((text) => text.replace(refused, '').split(/[.:]/, 1)[0]!).toSorted()).toEqual([
      'its provisioning token has expired',
      'no Secret of the pool has its provisioning token',
      'the request has no provisioning token',
    ])
    expect(JSON.stringify(all) + server.logged + server.metrics.text()).not.toMatch(/aaaaa|bbbbb/)
  })

  it('follows a rotation: the token before is accepted until the overlap ends', async () => {
    await create()
    const server = await start()
    const until = new Date(server.clock.now() + 3_600_000).toISOString()
    const annotations = { 'machinist.dev/previous-valid-until': until }
    const data = { token: base64(b), previous: base64(a) }
    await client.patch(secrets, key, mergePatch({ metadata: { annotations }, data }))
    expect(await server.ask(b)).toBe(allowed)
    expect(await server.ask(a)).toBe(allowed)
    await server.clock.advance(3_600_000)
    expect(await server.ask(a)).toBe('401 ExpiredToken')
    expect(await server.ask(b)).toBe(allowed)
  })
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A watch without events. */
const silence = (_: WatchOptions, signal: AbortSignal): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      if (!signal.aborted) await once(signal, 'abort')
      return { done: true, value: undefined }
    },
  }),
})

/** The same client with another source of informers, and with another `listAll`. */
function withSource(
  client: KubeClient,
  change: (source: ListWatch<Secret>) => ListWatch<Secret>,
  listAll?: () => never,
): KubeClient {
  const listWatch = (): ListWatch<Secret> => change(client.listWatch(secrets, { namespace }))
  const replaced: Partial<Record<PropertyKey, unknown>> = { listWatch, ...(listAll && { listAll }) }
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = replaced[name] ?? Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
