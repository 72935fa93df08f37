import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { coreEvents } from '@machinist/kube/kinds/events'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { timestamp } from '@machinist/core/timestamp'
import { readBundle } from '@machinist/pki/bundle'
import type { Certificate } from '@machinist/pki/certificate'
import { createAuthority } from '@machinist/pki/issue'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { RotationTarget } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { dyingClient, failingClient, forbiddingClient } from './dying-client.ts'
import { kubeletSpec, makeNamespace, place, RotationCluster } from './rotation-cluster.ts'

const notAfter = 'auth.openshift.io/certificate-not-after'
const day = 86_400_000
const managed = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }

it('the signer is idle on a cluster without the TrustRotation CRD', async () => {
  await using server = await startServer()
  const cluster = new RotationCluster(server)
  const ready = cluster.start()
  await ready
  expect(cluster.logged).not.toContain('"level":"error"')
  await cluster.stop()
})

describe('a rotation on the embedded API server', () => {
  let server: RunningServer
  let cluster: RotationCluster

  beforeAll(async () => {
    server = await startServer()
    await installDefinitions(server.client)
    await makeNamespace(server.client)
    await server.client.create(namespaces, { metadata: { name: managed.namespace } })
  })
  afterEach(() => cluster.clear())
  afterAll(() => server[Symbol.asyncDispose]())

  /** A settled cluster of these nodes with one CA. */
  async function atRest(...names: readonly string[]): Promise<string> {
    cluster = new RotationCluster(server)
    for (const name of names) await cluster.node(name)
    await cluster.rotation('kubelet')
    void cluster.start()
    await cluster.phase(names.length > 0 ? 'Completing' : 'Completed')
    await cluster.follow(...names)
    await cluster.turned('trusted', 'True')
    await cluster.phase('Completed')
    return (await cluster.current())!.fingerprint
  }

  /** A CA that another tool created, such as kubeadm. */
  async function firstAuthority(name: string): Promise<Certificate> {
    const now = cluster.clock.now()
    const validity = { from: now - day, until: now + 3650 * day }
    const made = await createAuthority({ name, validity, keyKind: 'ecdsa-p256' })
    const [certificate] = readBundle(made.certificate).bundle.values()
    const annotations = {
      'auth.openshift.io/certificate-not-before': timestamp(certificate!.notBefore),
      [notAfter]: timestamp(certificate!.notAfter),
    }
    await server.client.create(secrets, {
      metadata: { ...place('kubelet-signer'), annotations },
      type: 'kubernetes.io/tls',
      data: {
        'tls.crt': Buffer.from(made.certificate).toString('base64'),
        'tls.key': Buffer.from(made.key).toString('base64'),
      },
    })
    return certificate!
  }

  it('creates a CA, publishes it, signs, and rotates on request', async () => {
    const first = await atRest('a', 'b')
    await cluster.annotate('kubelet-signer', { [notAfter]: null })
    await cluster.phase('Preparing')
    await cluster.rest()
    const second = (await cluster.current())!
    expect(second.commonName).toMatch(/^keys_kubelet-signer@\d{10}$/)
    expect(second.fingerprint).not.toBe(first)
    const both = [first, second.fingerprint].sort()
    expect(await cluster.fingerprints('kubelet-ca')).toEqual(both)
    expect(await cluster.fingerprints('client-ca')).toEqual(both)

    await cluster.follow('a')
    await cluster.rest(200_000)
    expect((await cluster.certificates('kubelet-client'))[1]?.fingerprint).toBe(first)
    expect((await cluster.status())?.nodes).toMatchObject({
      total: 2,
      trusting: 1,
      laggards: [{ name: 'b', why: 'does not have it yet' }],
    })
    await cluster.follow('b')
    await cluster.signedBy(second.fingerprint)
    await cluster.until('the old CA is removed', async () => {
      await cluster.clock.advance(5000)
      return (await cluster.fingerprints('client-ca')).length === 1
    })
    expect((await cluster.status())?.phase).toBe('Completing')
    await cluster.follow('a', 'b')
    await cluster.phase('Completed')

    const signer = await cluster.secret('kubelet-signer')
    expect(Object.keys(signer?.data ?? {}).sort()).toEqual(['tls.crt', 'tls.key'])
    expect(signer).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: {
        labels: { 'auth.openshift.io/managed-certificate-type': 'signer' },
        annotations: {
          'auth.openshift.io/certificate-issuer': second.commonName,
          'openshift.io/owning-component': 'machinist',
        },
      },
    })
    const events = await Array.fromAsync(server.client.listAll(coreEvents))
    expect(new Set(events.map(({ reason }) => reason))).toEqual(
      new Set(['SignerUpdateRequired', 'CABundleUpdateRequired', 'TargetUpdateRequired']),
    )
    expect(cluster.metrics.text()).toContain(
      'machinist_rotation_phase{rotation="kubelet",phase="Completed"} 1',
    )
    await cluster.stop()
    // The next leader exposes its own metrics.
    expect(cluster.metrics.text()).not.toMatch(/^machinist_(rotation_|certificate_not_after)/m)
    // No report contains a key.
    for (const text of [cluster.logged, JSON.stringify(events)]) expect(text).not.toMatch(/PRIVATE/)
  })

  it.each([
    ['where nodes get their CAs from', managed],
    ['elsewhere', { namespace: 'keys', name: 'client-ca' }],
  ])(
    'is not Completed while a node has the first CA, whatever its name: published %s',
    async (_, published) => {
      cluster = new RotationCluster(server)
      const first = await firstAuthority('kubernetes')
      await cluster.node('a')
      await cluster.rotation('kubelet', { ...kubeletSpec, publishedIn: [published] })
      await cluster.report('a', [first])
      void cluster.start()
      await cluster.turned('trusted', 'True')
      await cluster.phase('Completed')
      expect((await cluster.current())?.commonName).toBe('kubernetes')

      await cluster.annotate('kubelet-signer', { [notAfter]: null })
      await cluster.phase('Preparing')
      const second = (await cluster.current())!
      await cluster.report('a', [first, second])
      await cluster.signedBy(second.fingerprint)
      await cluster.until('the first CA is removed from the bundle', async () => {
        await cluster.clock.advance(5000)
        return (await cluster.fingerprints('kubelet-ca')).length === 1
      })
      await cluster.rest(100_000)
      expect(Object.keys((await cluster.secret('kubelet-signer'))?.data ?? {})).not.toContain(
        'previous.crt',
      )
      expect(await cluster.status()).toMatchObject({
        phase: 'Completing',
        nodes: { trusting: 1, holdingOld: 1, laggards: [{ name: 'a' }] },
      })
      expect((await cluster.condition('progressing'))?.message).toMatch(
        /^1 of 1 nodes still have a CA that is no longer published: a \(since /,
      )
      await cluster.report('a', [second])
      await cluster.phase('Completed')
    },
  )

  it('removes the first CA also after two rotations in a row', async () => {
    cluster = new RotationCluster(server)
    const first = await firstAuthority('kubernetes')
    await cluster.rotation('kubelet')
    void cluster.start()
    await cluster.phase('Completed')
    for (const name of ['second', 'third']) {
      const before = (await cluster.current())!.fingerprint
      await cluster.annotate('kubelet-signer', { [notAfter]: null })
      await cluster.until(`there is a ${name} CA`, async () => {
        return (await cluster.current())!.fingerprint !== before
      })
      await cluster.signedBy((await cluster.current())!.fingerprint)
      expect(await cluster.fingerprints('kubelet-ca')).toContain(first.fingerprint)
    }
    await cluster.until('one CA is left', async () => {
      await cluster.clock.advance(5000)
      return (await cluster.fingerprints('kubelet-ca')).length === 1
    })
    expect(await cluster.fingerprints('kubelet-ca')).toEqual([
      (await cluster.current())!.fingerprint,
    ])
  })

  it.each([false, true])(
    'continues after the signer is killed at every write (response lost: %s)',
    async (isAnswerLost) => {
      const first = await atRest('a')
      await cluster.stop()
      await cluster.annotate('kubelet-signer', { [notAfter]: null })
      const written: string[] = []
      for (let life = 0; life < 40; life++) {
        const { client, transport } = dyingClient(server.url, 1, isAnswerLost)
        void cluster.start(client)
        await cluster.follow('a')
        await cluster.until('the signer is killed or settles', async () => {
          await cluster.clock.advance(3000)
          if (transport.isDead) return true
          const { phase, current } = (await cluster.status())!
          return phase === 'Completed' && current?.fingerprint !== first
        })
        await cluster.stop()
        written.push(...transport.written)
        if (!transport.isDead) break
      }
      expect((await cluster.status())?.phase).toBe('Completed')
      const current = (await cluster.current())!.fingerprint
      expect(current).not.toBe(first)
      expect(await cluster.fingerprints('client-ca')).toEqual([current])
      expect((await cluster.certificates('kubelet-client'))[1]?.fingerprint).toBe(current)
      const signers = written.filter((each) => each.endsWith('secrets/kubelet-signer'))
      // The new CA, and the removal of the old one.
      expect(signers).toHaveLength(2)
    },
  )

  it('is one rotation with two signers that both believe to lead', async () => {
    await atRest('a')
    const second = new RotationCluster(server, cluster.clock)
    void second.start()
    await cluster.annotate('kubelet-signer', { [notAfter]: null })
    await cluster.phase('Preparing')
    await cluster.rest()
    expect(await cluster.fingerprints('client-ca')).toHaveLength(2)
    await cluster.follow('a')
    await cluster.signedBy((await cluster.current())!.fingerprint)
    await second.stop()
  })

  it('rotates back on request while it is in progress', async () => {
    const first = await atRest('a', 'b')
    await cluster.annotate('kubelet-signer', { [notAfter]: null })
    await cluster.phase('Preparing')
    await cluster.rest()
    const second = (await cluster.current())!.fingerprint
    await cluster.annotate('kubelet-signer', { 'machinist.dev/rotate-back': second })
    await cluster.until('it is back', async () => (await cluster.current())?.fingerprint === first)
    await cluster.follow('a', 'b')
    await cluster.until('the other CA is removed', async () => {
      await cluster.follow('a', 'b')
      await cluster.clock.advance(60_000)
      return (await cluster.status())?.phase === 'Completed'
    })
    expect(await cluster.fingerprints('client-ca')).toEqual([first])
    const { annotations, ...metadata } = (await cluster.secret('kubelet-signer'))!.metadata
    expect(metadata.name).toBe('kubelet-signer')
    expect(annotations).not.toHaveProperty('machinist.dev/rotate-back')
  })

  it('names lagging nodes, and does not wait for excused ones', async () => {
    await atRest('a', 'off')
    await cluster.annotate('kubelet-signer', { [notAfter]: null })
    await cluster.phase('Preparing')
    await cluster.rest()
    await cluster.follow('a')
    await cluster.rest(200_000)
    const current = (await cluster.current())!
    expect((await cluster.status())?.nodes?.laggards).toMatchObject([{ name: 'off' }])
    expect((await cluster.condition('progressing'))?.message).toContain('off (since ')
    const override = { authority: current.fingerprint, nodes: ['off'] }
    const patch = mergePatch({ spec: { override } })
    await cluster.client.patch(trustRotations, { name: 'kubelet' }, patch)
    await cluster.signedBy(current.fingerprint)
    // The signer writes the status after the certificate.
    await cluster.until('the node is excused', async () => {
      return (await cluster.status())?.nodes?.excused === 1
    })
  })

  it('recovers after 30, 90 or 365 days', async () => {
    await atRest('a')
    for (const days of [30, 90, 365]) {
      cluster.clock.jump(days * day)
      await cluster.until('the rotation is completed', async () => {
        await cluster.clock.advance(600_000)
        await cluster.follow('a')
        const { phase, targets, current } = (await cluster.status())!
        const ends = [...targets!.map((each) => each.notAfter), current!.notAfter]
        const isFresh = ends.every((end) => Date.parse(end!) > cluster.clock.now() + day)
        return phase === 'Completed' && isFresh
      })
      const current = (await cluster.current())!.fingerprint
      expect(await cluster.fingerprints('client-ca')).toEqual([current])
      expect((await cluster.certificates('kubelet-client'))[1]?.fingerprint).toBe(current)
    }
  })

  it('does nothing for a TrustRotation with a shared object or an invalid spec', async () => {
    await atRest('a')
    await cluster.client.create(trustRotations, {
      metadata: { name: 'second' },
      spec: { signer: place('another'), bundle: place('kubelet-ca') },
    })
    await cluster.turned('degraded', 'True', 'second')
    expect(await cluster.condition('degraded', 'second')).toMatchObject({
      reason: 'Shared',
      message:
        'ConfigMap keys/kubelet-ca is managed by TrustRotation kubelet, which is older: specify another object, or delete one of the TrustRotations',
    })
    const [client] = kubeletSpec.targets!
    const bad: RotationTarget = { ...client!, usage: 'server', hostnames: ['a b'] }
    await cluster.client.create(trustRotations, {
      metadata: { name: 'third' },
      spec: { signer: place('third'), bundle: place('third'), targets: [bad] },
    })
    await cluster.turned('degraded', 'True', 'third')
    expect(await cluster.condition('degraded', 'third')).toMatchObject({ reason: 'BadSpec' })
    expect(await cluster.secret('another')).toBeUndefined()
    expect(await cluster.secret('third')).toBeUndefined()
    // The object is free after the other TrustRotation is deleted.
    await cluster.client.remove(trustRotations, { name: 'kubelet' })
    await cluster.turned('degraded', 'False', 'second')
    expect(await cluster.secret('another')).toBeDefined()
  })

  it('leaves a bundle that cannot be parsed unchanged until it is repaired or deleted', async () => {
    const first = await atRest('a')
    const text = (await cluster.configMap('kubelet-ca'))!.data!['ca-bundle.crt']!
    const spoil = (data: string): Promise<unknown> =>
      cluster.client.patch(
        configMaps,
        place('kubelet-ca'),
        mergePatch({ data: { 'ca-bundle.crt': data } }),
      )
    await spoil(`${text}-----BEGIN CERTIFICATE-----\nnonsense\n`)
    await cluster.turned('degraded', 'True')
    expect(await cluster.condition('degraded')).toMatchObject({ reason: 'BadBundle' })
    expect((await cluster.configMap('kubelet-ca'))!.data!['ca-bundle.crt']).toContain('nonsense')
    expect(await cluster.fingerprints('client-ca')).toEqual([first])
    await cluster.client.remove(configMaps, place('kubelet-ca'))
    await cluster.turned('degraded', 'False')
    expect(await cluster.fingerprints('kubelet-ca')).toEqual([first])
  })

  it('reports an object that it may not read, and continues once it may', async () => {
    cluster = new RotationCluster(server)
    const { client, repair } = forbiddingClient(server.url, 'configmaps')
    await cluster.rotation('kubelet')
    void cluster.start(client)
    await cluster.turned('degraded', 'True')
    expect(await cluster.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message:
        'ConfigMap keys/kubelet-ca cannot be read: check that the signer has permission to get, list and watch it',
    })
    expect(await cluster.secret('kubelet-signer')).toBeUndefined()
    repair()
    await cluster.turned('degraded', 'False')
    // The bundle follows from the CA, one pass later.
    await cluster.phase('Completed')
    expect(await cluster.fingerprints('kubelet-ca')).toHaveLength(1)
  })

  it('reports an object that it may not write, and writes the others', async () => {
    const first = await atRest('a')
    await cluster.client.remove(configMaps, place('client-ca'))
    await cluster.until(
      'it is back',
      async () => (await cluster.configMap('client-ca')) !== undefined,
    )
    await cluster.client.patch(configMaps, place('client-ca'), mergePatch({ immutable: true }))
    await cluster.annotate('kubelet-signer', { [notAfter]: null })
    await cluster.turned('degraded', 'True')
    expect(await cluster.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message: expect.stringContaining('the API server refused ConfigMap keys/client-ca (422'),
    })
    expect(await cluster.fingerprints('kubelet-ca')).toHaveLength(2)
    expect((await cluster.certificates('kubelet-client'))[1]?.fingerprint).toBe(first)
  })

  it('reports a write that keeps failing without quoting its content', async () => {
    cluster = new RotationCluster(server)
    const { client, repair } = failingClient(server.url, 'secrets')
    await cluster.rotation('kubelet')
    void cluster.start(client)
    await cluster.turned('degraded', 'True')
    expect(await cluster.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message:
        'Secret keys/kubelet-signer cannot be written: POST /api/v1/namespaces/keys/secrets: the API server refused it (500 InternalError)',
    })
    expect(cluster.logged).not.toMatch(/tls\.key/)
    repair()
    await cluster.turned('degraded', 'False')
    expect(await cluster.secret('kubelet-signer')).toBeDefined()
  })

  it('keeps published CAs of a bundle that another rotation is about to recreate', async () => {
    const { targets: _, publishedIn: __, ...rest } = kubeletSpec
    const signer = { ...kubeletSpec.signer, ...place('other-signer') }
    await atRest('a')
    await cluster.stop()
    await cluster.rotation('other', { ...rest, signer, bundle: place('other-ca') })
    const { client, transport } = dyingClient(server.url, Infinity)
    void cluster.start(client)
    await cluster.until('it is published', async () => {
      return (await cluster.certificates('client-ca')).length === 2
    })
    await cluster.rest()
    const before = transport.written.length
    await cluster.client.remove(configMaps, place('other-ca'))
    await cluster.until(
      'it is back',
      async () => (await cluster.configMap('other-ca')) !== undefined,
    )
    await cluster.rest()
    const written = transport.written.slice(before)
    expect(written).toContain('POST /api/v1/namespaces/keys/configmaps')
    expect(written).not.toContain('PUT /api/v1/namespaces/keys/configmaps/client-ca')
  })

  it('does not retry a rejected write at every change', async () => {
    cluster = new RotationCluster(server)
    const [target] = kubeletSpec.targets!
    const targets = [{ ...target!, namespace: 'nowhere' }]
    await cluster.rotation('kubelet', { ...kubeletSpec, targets })
    const { client, transport } = dyingClient(server.url, Infinity)
    void cluster.start(client)
    await cluster.turned('degraded', 'True')
    const tries = (): number =>
      transport.written.filter((each) => each.includes('/namespaces/nowhere/')).length
    const before = tries()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await cluster.node(name)
      await cluster.clock.advance(1000)
      await cluster.until('it is counted', async () => {
        return cluster.metrics
          .text()
          .includes(
            `machinist_rotation_lagging_nodes{rotation="kubelet"} ${name.charCodeAt(0) - 96}`,
          )
      })
    }
    expect(tries() - before).toBeLessThan(2)
    await cluster.until('the write is retried', async () => tries() > before + 1, 30_000)
    expect(await cluster.condition('degraded')).toMatchObject({
      message: 'Secret nowhere/kubelet-client cannot be created: check that its namespace exists',
    })
  })

  it('writes little while many nodes report', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `node-${i}`)
    cluster = new RotationCluster(server)
    for (const name of names) await cluster.node(name)
    await cluster.rotation('kubelet')
    const { client, transport } = dyingClient(server.url, Infinity)
    void cluster.start(client)
    await cluster.phase('Completing')
    await cluster.rest()
    const before = transport.written.length
    for (const name of names) {
      await cluster.follow(name)
      await cluster.clock.advance(200)
    }
    await cluster.turned('trusted', 'True')
    // Batched: one write per pass would be more.
    expect(transport.written.length - before).toBeLessThan(10)
  })

  it('publishes the CAs of other inputs while they can be parsed', async () => {
    const first = await atRest('a')
    const from = cluster.clock.now()
    const validity = { from, until: from + 400 * day }
    const { certificate } = await createAuthority({ name: 'another owner', validity })
    await cluster.client.create(configMaps, {
      metadata: place('other-ca'),
      data: { 'ca-bundle.crt': certificate },
    })
    await cluster.until('it is published', async () => {
      return (await cluster.certificates('client-ca')).length === 2
    })
    const published = (await cluster.configMap('client-ca'))!.data!['ca-bundle.crt']!
    expect(published.endsWith(certificate)).toBe(true)
    expect(await cluster.fingerprints('kubelet-ca')).toEqual([first])
    const patch = mergePatch({ data: { 'ca-bundle.crt': 'nonsense' } })
    await cluster.client.patch(configMaps, place('other-ca'), patch)
    await cluster.turned('degraded', 'True')
    expect((await cluster.configMap('client-ca'))!.data!['ca-bundle.crt']).toBe(published)
  })
})
