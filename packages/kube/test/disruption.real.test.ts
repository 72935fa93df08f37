import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { CuttableProxy } from '@machinist/testing/servers/cuttable-proxy'
import {
  clientFrom,
  clientOver,
  clientTo,
  connectionTo,
  freshNamespace,
  RealInformer,
} from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import type { Cluster } from '@machinist/testing/clusters/start-cluster'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import type { KubeClient } from '../src/client/client.ts'
import { isExpired, isUnauthorized } from '../src/failure.ts'
import type { ConfigMap } from '../src/kinds/core.ts'
import { configMaps } from '../src/kinds/core.ts'
import { mergePatch } from '../src/patch.ts'

/** A separate cluster, because the tests kill and partition the server, compact etcd and rotate certificates. */
describeOnRealCluster('an informer recovers when a real API server', () => {
  let cluster: Cluster
  let admin: KubeClient
  let namespace: string
  let proxy: CuttableProxy
  let caFile: string
  let tokenFile: string
  let real: RealInformer<ConfigMap>
  const sockets: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    cluster = await startPrivateCluster()
    admin = await clientFrom(cluster.kubeconfig)
  })
  afterAll(() => cluster?.stop())

  /** An informer through a proxy that can be cut, with credentials in files. */
  const follow = async (): Promise<void> => {
    namespace = await freshNamespace(admin)
    proxy = await CuttableProxy.to(cluster.server)
    sockets.push(() => proxy.stop())
    caFile = join(cluster.directory, `${namespace}.crt`)
    tokenFile = join(cluster.directory, `${namespace}.token`)
    writeFileSync(caFile, readFileSync(cluster.caFile))
    writeFileSync(tokenFile, cluster.token)
    const target = {
      origin: 'a test',
      server: proxy.url,
      ca: { file: caFile },
      token: { file: tokenFile },
    }
    const client = clientOver(connectionTo(target, 50))
    real = new RealInformer(client.listWatch(configMaps, { namespace }))
    sockets.push(() => real.stop())
    expect(await real.informer.synced()).toBe(true)
  }
  afterEach(async () => {
    for (const stop of sockets.splice(0).reverse()) await stop()
  })

  const create = (name: string): Promise<ConfigMap> =>
    admin.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })
  const change = (name: string): Promise<ConfigMap> =>
    admin.patch(configMaps, { namespace, name }, mergePatch({ data: { changed: 'yes' } }))
  const remove = (name: string): Promise<unknown> => admin.remove(configMaps, { namespace, name })

  /** The cache equals the list of the server. */
  const inStep = async (): Promise<void> => {
    const expected = new Map<string, string | undefined>()
    for await (const item of admin.listAll(configMaps, { namespace })) {
      expected.set(item.metadata.name, item.metadata.resourceVersion)
    }
    await until('the cache holds what the server holds', () => {
      const { informer } = real
      const same = informer
        .list()
        .every(({ metadata }) => expected.get(metadata.name) === metadata.resourceVersion)
      return informer.size === expected.size && same
    })
  }

  /** Compacts etcd. */
  const compact = async (): Promise<void> => {
    const post = async (path: string, body: object): Promise<{ header: { revision: string } }> => {
      const answer = await fetch(`${cluster.etcd}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      expect(answer.status).toBe(200)
      return (await answer.json()) as { header: { revision: string } }
    }
    const { header } = await post('/v3/kv/range', { key: Buffer.from('/').toString('base64') })
    await post('/v3/kv/compaction', { revision: header.revision, physical: true })
  }

  const restart = async (signal: NodeJS.Signals): Promise<void> => {
    await cluster.stopApiServer(signal)
    await cluster.startApiServer()
  }

  it.each(['SIGKILL', 'SIGTERM'] as const)('is restarted (%s)', async (signal) => {
    await follow()
    for (const name of ['a', 'b', 'c']) await create(name)
    await inStep()
    await restart(signal)
    await change('a')
    await remove('b')
    await create('d')
    await inStep()
    expect(real.changes.slice(3).sort()).toEqual(['added d', 'deleted b', 'updated a'])
  })

  it('is unreachable for a while: the watch resumes', async () => {
    await follow()
    await create('a')
    await inStep()
    proxy.cut()
    await change('a')
    await create('b')
    await remove('b')
    await create('c')
    proxy.restore()
    await inStep()
    expect(real.changes).toEqual(['added a', 'updated a', 'added b', 'deleted b', 'added c'])
    expect(real.lists).toBe(1)
  })

  it('has compacted the version of the watch (410)', async () => {
    await follow()
    for (const name of ['a', 'b', 'c']) await create(name)
    await inStep()
    proxy.cut()
    await change('a')
    await remove('b')
    await create('d')
    await compact()
    // A restarted server has no watch cache, and etcd has no history.
    await restart('SIGKILL')
    proxy.restore()
    await inStep()
    expect(real.changes.slice(3).sort()).toEqual(['added d', 'deleted b', 'updated a'])
    expect(real.metrics.text()).toContain(
      'machinist_informer_relists_total{resource="tested",reason="expired"} 1',
    )
  })

  it('has compacted the version of the first page (410)', async () => {
    await follow()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name)
    const { continue: next, items } = await admin.list(configMaps, { namespace, limit: 2 })
    expect(items.map((item) => item.metadata.name)).toEqual(['a', 'b'])
    await create('f')
    await compact()
    const failure = await admin
      .list(configMaps, { namespace, limit: 2, continue: next })
      .catch((error: unknown) => error)
    expect(isExpired(failure)).toBe(true)

    const names: string[] = []
    for await (const item of admin.listAll(configMaps, { namespace, limit: 2 })) {
      names.push(item.metadata.name)
      if (names.length === 2) {
        await create('g')
        await compact()
      }
    }
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    await inStep()
  })

  it('rotates its CA, in three steps and then in one', async () => {
    await follow()
    await create('a')
    const old = readFileSync(caFile, 'utf8')
    const second = createAuthority('second')
    writeFileSync(caFile, old + second.certificate)
    cluster.serveWith(second)
    await until(
      'the server shows its new certificate',
      async () => (await issuer(cluster)) === 'second',
    )
    proxy.dropConnections()
    await create('b')
    await inStep()
    writeFileSync(caFile, second.certificate)
    await create('c')
    await inStep()

    const third = createAuthority('third')
    cluster.serveWith(third)
    await until(
      'the server shows its new certificate',
      async () => (await issuer(cluster)) === 'third',
    )
    proxy.dropConnections()
    await create('d')
    writeFileSync(caFile, third.certificate)
    await inStep()
    expect(real.changes).toEqual(['added a', 'added b', 'added c', 'added d'])
    expect(real.lists).toBe(1)
  })

  it('replaces its tokens and rejects the old ones', async () => {
    await follow()
    await create('a')
    await inStep()
    cluster.acceptTokens([cluster.token, 'a-new-token'])
    await restart('SIGKILL')
    writeFileSync(tokenFile, 'a-new-token')
    await create('b')
    await inStep()
    const place = { origin: 'a test', server: cluster.server, ca: { file: cluster.caFile } }
    admin = clientTo({ ...place, token: { text: 'a-new-token' } })
    cluster.acceptTokens(['a-new-token'])
    await restart('SIGKILL')
    const refused = await clientTo({ ...place, token: { text: cluster.token } })
      .list(configMaps, { namespace })
      .catch((error: unknown) => error)
    expect(isUnauthorized(refused)).toBe(true)
    await create('c')
    await inStep()
    expect(real.changes).toEqual(['added a', 'added b', 'added c'])
  })
})

/** The issuer of the serving certificate of a new connection. */
function issuer(cluster: Cluster): Promise<string> {
  const { hostname, port } = new URL(cluster.server)
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: hostname, port: Number(port), rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().issuer.CN))
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })
}
