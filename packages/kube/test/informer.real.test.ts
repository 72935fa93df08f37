import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import {
  clientFrom,
  freshNamespace,
  kubectl,
  RealInformer,
} from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { until } from '@machinist/testing/until'
import type { KubeClient } from '../src/client/client.ts'
import type { ConfigMap } from '../src/kinds/core.ts'
import { configMaps, nodes } from '../src/kinds/core.ts'
import { mergePatch } from '../src/patch.ts'

describeOnRealCluster('an informer on a real API server', (cluster) => {
  let client: KubeClient
  let namespace: string
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    client = await clientFrom(cluster.kubeconfig)
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  const follow = async <T extends KubeObject>(real: RealInformer<T>): Promise<RealInformer<T>> => {
    stops.push(() => real.stop())
    expect(await real.informer.synced()).toBe(true)
    return real
  }
  const create = (name: string, labels: Record<string, string> = {}): Promise<ConfigMap> =>
    client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels },
      data: { text: name },
    })
  const label = (name: string, team: string | null): Promise<unknown> =>
    client.patch(configMaps, { namespace, name }, mergePatch({ metadata: { labels: { team } } }))

  it('lists existing objects and receives changes', async () => {
    namespace = await freshNamespace(client)
    await create('there')
    const { informer, changes } = await follow(
      new RealInformer(client.listWatch(configMaps, { namespace })),
    )
    expect(changes).toEqual(['added there'])
    await create('new')
    await label('there', 'red')
    await kubectl(cluster, '-n', namespace, 'delete', 'configmap', 'new')
    await until('the deletion was received', () => changes.includes('deleted new'))
    expect(changes).toEqual(['added there', 'added new', 'updated there', 'deleted new'])
    const { managedFields: _, ...metadata } = (
      await client.get(configMaps, { namespace, name: 'there' })
    ).metadata
    expect(informer.get({ namespace, name: 'there' })?.metadata).toEqual(metadata)
  })

  it('adds and removes an object when its labels change', async () => {
    namespace = await freshNamespace(client)
    await create('a', { team: 'red' })
    await create('b', { team: 'blue' })
    const source = client.listWatch(configMaps, { namespace, labels: 'team=red' })
    const { changes, informer } = await follow(new RealInformer(source))
    await label('b', 'red')
    await label('a', null)
    await until('both were received', () => changes.length === 3)
    expect(changes).toEqual(['added a', 'added b', 'deleted a'])
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['b'])
  })

  it('watches one object by name, as a daemon watches its Node', async () => {
    for (const name of ['mine', 'other']) {
      await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
    }
    const source = client.listWatch(nodes, { fields: 'metadata.name=mine' })
    const { changes, informer } = await follow(new RealInformer(source))
    await kubectl(cluster, 'annotate', 'node', 'other', 'touched=yes')
    await kubectl(cluster, 'cordon', 'mine')
    await until('it was received', () => informer.get('mine')?.spec?.unschedulable === true)
    expect(changes).not.toContain('added other')
    expect(informer.size).toBe(1)
  })

  it('can cache metadata only', async () => {
    namespace = await freshNamespace(client)
    await create('large')
    const source = client.listWatch(configMaps, { namespace, metadataOnly: true })
    const { informer, changes } = await follow(new RealInformer(source))
    await label('large', 'red')
    await until('it was received', () => changes.includes('updated large'))
    expect(informer.get({ namespace, name: 'large' })).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { labels: { team: 'red' } },
    })
    expect(informer.get({ namespace, name: 'large' })).not.toHaveProperty('data')
  })

  it('processes a thousand changes from ten writers', async () => {
    namespace = await freshNamespace(client)
    const { informer, changes } = await follow(
      new RealInformer(client.listWatch(configMaps, { namespace })),
    )
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let i = 0; i < 100; i++) {
        if (i < 50) await create(`w${writer}-${i}`)
        else if (i % 2 === 0)
          await client.remove(configMaps, { namespace, name: `w${writer}-${i - 50}` })
        else await label(`w${writer}-${i - 50}`, 'done')
      }
    })
    await Promise.all(writers)
    await until('everything was received', () => changes.length === 1000)
    const { items } = await client.list(configMaps, { namespace })
    const versions = (objects: readonly Readonly<KubeObject>[]): string[] =>
      objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort()
    expect(items).toHaveLength(250)
    expect(versions(informer.list())).toEqual(versions(items))
  })
})
