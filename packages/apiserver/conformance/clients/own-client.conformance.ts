import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import { evict } from '@machinist/kube/nodes/eviction'
import { isAlreadyExists, isConflict, isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps, nodes } from '@machinist/kube/kinds/core'
import { leases } from '@machinist/kube/kinds/coordination'
import { LeaseElection } from '@machinist/kube/leases/lease-election'
import { apply, jsonPatch, mergePatch, strategicPatch } from '@machinist/kube/patch'
import { RealInformer } from '@machinist/testing/clusters/real-client'
import { until } from '@machinist/testing/until'
import { conformance } from '../support/conformance.ts'
import { running } from '../support/disruption.ts'

function map(namespace: string, name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.fail(`it worked: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )

function candidate(api: KubeClient, namespace: string, identity: string): LeaseElection {
  return new LeaseElection({
    api,
    lease: { namespace, name: 'contested' },
    identity,
    timing: { leaseMs: 3000, renewMs: 2000, retryMs: 200 },
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new Metrics(),
  })
}

conformance('the client of packages/kube', (on) => {
  it(
    'creates, reads, replaces, deletes',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      const made = await client.create(configMaps, map(namespace, 'a', { x: '1' }))
      const key = { namespace, name: 'a' }
      expect(await client.get(configMaps, key)).toEqual(made)
      expect(isAlreadyExists(await failureOf(client.create(configMaps, map(namespace, 'a'))))).toBe(
        true,
      )
      const changed = await client.replace(configMaps, { ...made, data: { x: '2' } })
      expect(changed.data).toEqual({ x: '2' })
      expect(isConflict(await failureOf(client.replace(configMaps, { ...made, data: {} })))).toBe(
        true,
      )
      expect(await client.remove(configMaps, key)).toBeUndefined()
      expect(isNotFound(await failureOf(client.get(configMaps, key)))).toBe(true)
    }),
  )

  it(
    'sends four patch types',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      const key = { namespace, name: 'a' }
      await client.patch(
        configMaps,
        key,
        apply(map(namespace, 'a', { w: '0' }), { fieldManager: 'one' }),
      )
      await client.patch(configMaps, key, mergePatch({ data: { x: '1' } }))
      await client.patch(configMaps, key, strategicPatch({ data: { y: '2' } }))
      const patched = await client.patch(
        configMaps,
        key,
        jsonPatch([{ op: 'add', path: '/data/z', value: '3' }]),
      )
      expect(patched.data).toEqual({ w: '0', x: '1', y: '2', z: '3' })
    }),
  )

  it(
    'lists in pages, and metadata only',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const name of names) await client.create(configMaps, map(namespace, name, { x: '1' }))
      const seen: string[] = []
      for await (const { metadata } of client.listAll(configMaps, { namespace, limit: 2 })) {
        seen.push(metadata.name)
      }
      expect(seen).toEqual(names)
      const [first] = (await client.listMetadata(configMaps, { namespace })).items
      expect(first).not.toHaveProperty('data')
    }),
  )

  it(
    'modifies objects under contention',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      await client.create(configMaps, map(namespace, 'a', { count: '0' }))
      const key = { namespace, name: 'a' }
      const increment = (current: ConfigMap): ConfigMap => ({
        ...current,
        data: { count: String(Number(current.data?.['count']) + 1) },
      })
      await Promise.all(
        Array.from({ length: 6 }, () => modify(client, configMaps, key, increment, { tries: 50 })),
      )
      expect((await client.get(configMaps, key)).data).toEqual({ count: '6' })
    }),
  )

  it(
    'evicts pods',
    on(async (stage) => {
      const { api, namespace } = stage
      await running(api, namespace, 'web', 'web')
      const client = await stage.client()
      expect(await evict(client, { namespace, name: 'web' }, { graceSeconds: 0 })).toEqual({
        outcome: 'evicted',
      })
      expect(await evict(client, { namespace, name: 'web' })).toEqual({ outcome: 'gone' })
    }),
  )

  it(
    'an informer converges during concurrent writes',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      await client.create(configMaps, map(namespace, 'before'))
      const watcher = new RealInformer(client.listWatch(configMaps, { namespace }))
      try {
        for (let i = 0; i < 20; i++) {
          const name = `m-${i % 7}`
          const key = { namespace, name }
          if (i < 7) await client.create(configMaps, map(namespace, name))
          else if (i % 3 === 0) await client.remove(configMaps, key).catch(() => undefined)
          else
            await client.patch(configMaps, key, mergePatch({ data: { i: `${i}` } })).catch(() => 0)
        }
        const last = await client.create(configMaps, map(namespace, 'last'))
        const { informer } = watcher
        await until('the last one is seen', () => informer.get(last.metadata) !== undefined)
        const { items } = await client.list(configMaps, { namespace })
        const known = items.map(({ metadata }) => informer.get(metadata))
        expect(known).toEqual(
          items.map((item) => ({ ...item, kind: 'ConfigMap', apiVersion: 'v1' })),
        )
        expect(informer.size).toBe(items.length)
        expect(watcher.lists).toBe(1)
      } finally {
        await watcher.stop()
      }
    }),
  )

  it(
    'an informer with a field selector sees only that Node',
    on(async (stage) => {
      const { unique } = stage
      const client = await stage.client()
      const watcher = new RealInformer(
        client.listWatch(nodes, { fields: `metadata.name=${unique}`, metadataOnly: true }),
      )
      try {
        const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })
        await client.create(nodes, node(`other-${unique}`))
        await client.create(nodes, node(unique))
        await client.patch(
          nodes,
          { name: unique },
          mergePatch({ metadata: { labels: { a: 'b' } } }),
        )
        await client.remove(nodes, { name: unique })
        await until('the node is gone', () => watcher.changes.at(-1) === `deleted ${unique}`)
        expect(new Set(watcher.changes.map((line) => line.split(' ')[1]))).toEqual(
          new Set([unique]),
        )
      } finally {
        await watcher.stop()
      }
    }),
  )

  it(
    'a Lease has one holder at a time',
    on(async (stage) => {
      const { namespace } = stage
      const client = await stage.client()
      const [first, second] = [new AbortController(), new AbortController()]
      const acted: string[] = []
      const lead = (identity: string, stop: AbortController): Promise<void> =>
        candidate(client, namespace, identity).lead(stop.signal, async (term) => {
          acted.push(`${identity} leads`)
          await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }))
          acted.push(`${identity} stops`)
        })
      const one = lead('one', first)
      await until('one leads', () => acted.includes('one leads'))
      const two = lead('two', second)
      const lease = await client.get(leases, { namespace, name: 'contested' })
      expect(lease.spec).toMatchObject({ holderIdentity: 'one' })
      first.abort()
      await one
      await until('two leads', () => acted.includes('two leads'))
      second.abort()
      await two
      expect(acted).toEqual(['one leads', 'one stops', 'two leads', 'two stops'])
    }),
  )
})
