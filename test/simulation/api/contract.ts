import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { evict } from '@machinist/kube/nodes/eviction'
import type { WatchEvent } from '@machinist/kube/list-watch'
import { leases } from '@machinist/kube/kinds/coordination'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import type { MachineConfigPool } from '../../../src/api/kinds/resources.ts'

export interface Subject {
  readonly client: KubeClient
  /** A private namespace. */
  readonly namespace: string
  readonly stop: () => Promise<void>
}

const ready = [{ type: 'Ready', status: 'True' as const }]

/** The API behaviour that components rely on; tested on the simulated, the embedded and a real API server. */
export function apiContract(name: string, start: () => Promise<Subject>): void {
  describe.for([name])('%s', { timeout: 60_000 }, () => {
    let subject: Subject
    let count = 0
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject.stop())
    const named = (): string => `${subject.namespace}-${++count}`

    const newNode = (more: Partial<Node['metadata']> = {}): Promise<Node> =>
      subject.client.create(nodes, { metadata: { name: named(), ...more } })

    const newPool = (spec: MachineConfigPool['spec'] = {}): Promise<MachineConfigPool> =>
      subject.client.create(machineConfigPools, { metadata: { name: named() }, spec })

    const newPod = async (app: string): Promise<Pod> => {
      const { client, namespace } = subject
      const node = await newNode()
      const containers = [{ name: 'main', image: 'example/main:1' }]
      const made = await client.create(pods, {
        metadata: { name: named(), namespace, labels: { app } },
        spec: { nodeName: node.metadata.name, containers },
      })
      const status = { phase: 'Running', conditions: ready }
      const key = { namespace, name: made.metadata.name }
      return client.patch(pods, key, mergePatch({ status }), { subresource: 'status' })
    }

    it('create sets uid, resourceVersion and creationTimestamp', async () => {
      const { metadata } = await newNode()
      expect(metadata.uid).toMatch(/./)
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(0)
      expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    })

    it('create rejects an existing name', async () => {
      const { metadata } = await newNode()
      const again = subject.client.create(nodes, { metadata: { name: metadata.name } })
      await expect(again).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' })
    })

    it('every request for a missing object returns NotFound', async () => {
      const { client } = subject
      const key = { name: named() }
      const missing = { code: 404, reason: 'NotFound' }
      await expect(client.get(nodes, key)).rejects.toMatchObject(missing)
      await expect(client.patch(nodes, key, mergePatch({}))).rejects.toMatchObject(missing)
      await expect(client.replace(nodes, { metadata: key })).rejects.toMatchObject(missing)
      await expect(client.remove(nodes, key)).rejects.toMatchObject(missing)
    })

    it('a merge patch adds, changes and removes', async () => {
      const { metadata } = await newNode({ annotations: { a: '1', b: '2' } })
      const annotations = { a: null, b: '3', c: '4' }
      const key = { name: metadata.name }
      const patched = await subject.client.patch(
        nodes,
        key,
        mergePatch({ metadata: { annotations } }),
      )
      expect(patched.metadata.annotations).toEqual({ b: '3', c: '4' })
    })

    it('a patch with an old resourceVersion is a conflict', async () => {
      const { metadata } = await newNode()
      const key = { name: metadata.name }
      const { resourceVersion } = metadata
      const first = mergePatch({ metadata: { resourceVersion, annotations: { a: '1' } } })
      const { client } = subject
      expect((await client.patch(nodes, key, first)).metadata.annotations).toEqual({ a: '1' })
      const second = mergePatch({ metadata: { resourceVersion, annotations: { a: '2' } } })
      await expect(client.patch(nodes, key, second)).rejects.toMatchObject({
        code: 409,
        reason: 'Conflict',
      })
    })

    it('a patch with another uid is rejected', async () => {
      const { metadata } = await newNode()
      const patch = mergePatch({ metadata: { uid: 'another', annotations: { a: '1' } } })
      const patched = subject.client.patch(nodes, { name: metadata.name }, patch)
      await expect(patched).rejects.toMatchObject({ code: 422 })
    })

    it('a replace with an old resourceVersion is a conflict', async () => {
      const { client, namespace } = subject
      const lease = await client.create(leases, { metadata: { namespace, name: named() } })
      const held = { ...lease, spec: { holderIdentity: 'a' } }
      const { spec } = await client.replace(leases, held)
      expect(spec?.holderIdentity).toBe('a')
      await expect(client.replace(leases, held)).rejects.toMatchObject({
        code: 409,
        reason: 'Conflict',
      })
    })

    it('a write without changes keeps the resourceVersion', async () => {
      const { metadata } = await newNode({ annotations: { a: '1' } })
      const patch = mergePatch({ metadata: { annotations: { a: '1' } } })
      const patched = await subject.client.patch(nodes, { name: metadata.name }, patch)
      expect(patched.metadata.resourceVersion).toBe(metadata.resourceVersion)
    })

    it('status and spec are written separately', async () => {
      const { client } = subject
      const made = await newPool({ paused: true })
      const key = { name: made.metadata.name }
      const both = mergePatch({ spec: { paused: false }, status: { machineCount: 3 } })
      const spec = await client.patch(machineConfigPools, key, both)
      expect([spec.spec.paused, spec.status?.machineCount]).toEqual([false, undefined])
      const other = mergePatch({ spec: { paused: true }, status: { machineCount: 3 } })
      const status = await client.patch(machineConfigPools, key, other, { subresource: 'status' })
      expect([status.spec.paused, status.status?.machineCount]).toEqual([false, 3])
    })

    it('generation counts changes of spec only', async () => {
      const { client } = subject
      const { metadata } = await newPool()
      const key = { name: metadata.name }
      const pause = mergePatch({ spec: { paused: true } })
      const label = mergePatch({ metadata: { labels: { a: 'b' } } })
      const tell = mergePatch({ status: { machineCount: 1 } })
      const seen = [
        metadata.generation,
        (await client.patch(machineConfigPools, key, pause)).metadata.generation,
        (await client.patch(machineConfigPools, key, label)).metadata.generation,
        (await client.patch(machineConfigPools, key, tell, { subresource: 'status' })).metadata
          .generation,
      ]
      expect(seen).toEqual([1, 2, 2, 2])
    })

    it('delete checks the uid precondition', async () => {
      const { client } = subject
      const { metadata } = await newPool()
      const key = { name: metadata.name }
      const wrong = client.remove(machineConfigPools, key, { uid: 'another' })
      await expect(wrong).rejects.toMatchObject({ code: 409 })
      await client.remove(machineConfigPools, key, { uid: metadata.uid! })
      await expect(client.get(machineConfigPools, key)).rejects.toMatchObject({ code: 404 })
    })

    it('an object with a finalizer stays until the finalizer is removed', async () => {
      const { client } = subject
      const held = ['example.com/a', 'example.com/b']
      const made = await newNode({ finalizers: held })
      const key = { name: made.metadata.name }
      await client.remove(nodes, key)
      const going = await client.get(nodes, key)
      expect(going.metadata.deletionTimestamp).toMatch(/Z$/)
      const letGo = (finalizers: string[] | null): Promise<Node> =>
        client.patch(nodes, key, mergePatch({ metadata: { finalizers } }))
      expect((await letGo(['example.com/b'])).metadata.finalizers).toEqual(['example.com/b'])
      await client.remove(nodes, key)
      expect((await client.get(nodes, key)).metadata.uid).toBe(made.metadata.uid)
      await letGo(null)
      await expect(client.get(nodes, key)).rejects.toMatchObject({ code: 404 })
    })

    it('lists by label, by field, and as metadata only', async () => {
      const { client, namespace } = subject
      const { metadata } = await newNode({ labels: { for: namespace } })
      await newNode()
      const { name } = metadata
      const named = (page: { items: KubeObject[] }): string[] =>
        page.items.map((item) => item.metadata.name)
      expect(named(await client.list(nodes, { labels: `for=${namespace}` }))).toEqual([name])
      expect(named(await client.list(nodes, { fields: `metadata.name=${name}` }))).toEqual([name])
      const [partial] = (await client.listMetadata(nodes, { labels: `for=${namespace}` })).items
      expect([partial?.kind, Object.keys(partial ?? {}).sort()]).toEqual([
        'PartialObjectMetadata',
        ['apiVersion', 'kind', 'metadata'],
      ])
    })

    it('lists the pods of a node', async () => {
      const { client, namespace } = subject
      const pod = await newPod('found')
      const fields = `spec.nodeName=${pod.spec!.nodeName}`
      const { items } = await client.list(pods, { namespace, fields })
      expect(items.map(({ metadata }) => metadata.name)).toEqual([pod.metadata.name])
    })

    it('a watch returns all changes since a resourceVersion in order, and continues', async () => {
      const { client } = subject
      const { metadata } = await newNode()
      const key = { name: metadata.name }
      await client.patch(nodes, key, mergePatch({ metadata: { annotations: { a: '1' } } }))
      const stop = new AbortController()
      const options = {
        fields: `metadata.name=${metadata.name}`,
        resourceVersion: metadata.resourceVersion!,
      }
      const heard: string[] = []
      for await (const event of client.watch(nodes, options, stop.signal)) {
        heard.push(eventText(event))
        if (heard.length === 1) await client.remove(nodes, key)
        if (heard.length === 2) stop.abort()
      }
      expect(heard).toEqual(['MODIFIED 1', 'DELETED 1'])
    })

    it('an object that enters a selection is ADDED, one that leaves it is DELETED', async () => {
      const { client, namespace } = subject
      const { metadata } = await newNode()
      const stop = new AbortController()
      const options = { labels: `seen=${namespace}`, resourceVersion: metadata.resourceVersion! }
      const relabel = (seen: string | null): Promise<Node> =>
        client.patch(nodes, { name: metadata.name }, mergePatch({ metadata: { labels: { seen } } }))
      await relabel(namespace)
      const heard: string[] = []
      for await (const { type } of client.watch(nodes, options, stop.signal)) {
        heard.push(type)
        if (heard.length === 1) await relabel(null)
        if (heard.length === 2) stop.abort()
      }
      expect(heard).toEqual(['ADDED', 'DELETED'])
    })

    it('an eviction respects the grace period', async () => {
      const { client, namespace } = subject
      const { metadata } = await newPod('free')
      const key = { namespace, name: metadata.name }
      expect(await evict(client, key, { uid: 'another' })).toEqual({ outcome: 'gone' })
      expect(await evict(client, key)).toEqual({ outcome: 'evicted' })
      expect((await client.get(pods, key)).metadata.deletionTimestamp).toMatch(/Z$/)
      await client.remove(pods, key, { graceSeconds: 0 })
      expect(await evict(client, key)).toEqual({ outcome: 'gone' })
    })

    it('a PodDisruptionBudget without allowed disruptions blocks an eviction', async () => {
      const { client, namespace } = subject
      const { metadata } = await newPod('kept')
      const name = named()
      const selector = { matchLabels: { app: 'kept' } }
      await client.create(podDisruptionBudgets, {
        metadata: { namespace, name },
        spec: { minAvailable: 1, selector },
      })
      const outcome = await evict(client, { namespace, name: metadata.name })
      expect(outcome.outcome).toBe('blocked')
    })
  })
}

function eventText(event: WatchEvent<Node>): string {
  if (event.type === 'BOOKMARK') return event.type
  return `${event.type} ${event.object.metadata.annotations?.['a'] ?? ''}`
}
