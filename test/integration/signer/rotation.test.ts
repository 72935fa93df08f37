import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RotationTarget } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/resources.ts'
import { coreEvents } from '@machinist/kube/kinds/events'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { timestamp } from '@machinist/core/timestamp'
import { readBundle } from '@machinist/pki/bundle'
import type { Certificate } from '@machinist/pki/certificate'
import { createAuthority } from '@machinist/pki/issue'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../src/api/definitions.fixture.ts'
import { dyingClient, failingClient, forbiddingClient } from './dying-client.ts'
import { kubeletSpec, makeNamespace, place, RotationWorld } from './rotation-world.ts'

const notAfter = 'auth.openshift.io/certificate-not-after'
const day = 86_400_000
const managed = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }

it('has nothing to do where nobody knows what a TrustRotation is', async () => {
  await using server = await startServer()
  const world = new RotationWorld(server)
  const ready = world.start()
  await ready
  expect(world.logged).not.toContain('"level":"error"')
  await world.stop()
})

describe('a rotation on the embedded API server', () => {
  let server: RunningServer
  let world: RotationWorld

  beforeAll(async () => {
    server = await startServer()
    await installDefinitions(server.client)
    await makeNamespace(server.client)
    await server.client.create(namespaces, { metadata: { name: managed.namespace } })
  })
  afterEach(() => world.clear())
  afterAll(() => server[Symbol.asyncDispose]())

  /** A cluster of these nodes that has one CA, which all of them trust. */
  async function atRest(...names: readonly string[]): Promise<string> {
    world = new RotationWorld(server)
    for (const name of names) await world.node(name)
    await world.rotation('kubelet')
    void world.start()
    await world.phase(names.length > 0 ? 'Completing' : 'Completed')
    await world.follow(...names)
    await world.turned('trusted', 'True')
    await world.phase('Completed')
    return (await world.current())!.fingerprint
  }

  /** A signer that another tool made, as kubeadm does. */
  async function firstAuthority(name: string): Promise<Certificate> {
    const now = world.clock.now()
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

  it('makes a CA, tells everybody, signs, and does it again when asked to', async () => {
    const first = await atRest('a', 'b')
    await world.annotate('kubelet-signer', { [notAfter]: null })
    await world.phase('Preparing')
    await world.rest()
    const second = (await world.current())!
    expect(second.commonName).toMatch(/^keys_kubelet-signer@\d{10}$/)
    expect(second.fingerprint).not.toBe(first)
    const both = [first, second.fingerprint].sort()
    expect(await world.fingerprints('kubelet-ca')).toEqual(both)
    expect(await world.fingerprints('client-ca')).toEqual(both)

    await world.follow('a')
    await world.rest(200_000)
    expect((await world.certificates('kubelet-client'))[1]?.fingerprint).toBe(first)
    expect((await world.status())?.nodes).toMatchObject({
      total: 2,
      trusting: 1,
      laggards: [{ name: 'b', why: 'does not have it yet' }],
    })
    await world.follow('b')
    await world.signedBy(second.fingerprint)
    await world.until('the old one is gone', async () => {
      await world.clock.advance(5000)
      return (await world.fingerprints('client-ca')).length === 1
    })
    expect((await world.status())?.phase).toBe('Completing')
    await world.follow('a', 'b')
    await world.phase('Completed')

    const signer = await world.secret('kubelet-signer')
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
    expect(world.metrics.text()).toContain(
      'machinist_rotation_phase{rotation="kubelet",phase="Completed"} 1',
    )
    await world.stop()
    // Whoever works next tells how it is then.
    expect(world.metrics.text()).not.toMatch(/^machinist_(rotation_|certificate_not_after)/m)
    // Nothing of a key is ever told.
    for (const text of [world.logged, JSON.stringify(events)]) expect(text).not.toMatch(/PRIVATE/)
  })

  it.each([
    ['where nodes get their CAs from', managed],
    ['elsewhere', { namespace: 'keys', name: 'client-ca' }],
  ])(
    'is not Completed while a node holds the first CA, whatever its name: published %s',
    async (_, published) => {
      world = new RotationWorld(server)
      const first = await firstAuthority('kubernetes')
      await world.node('a')
      await world.rotation('kubelet', { ...kubeletSpec, publishedIn: [published] })
      await world.tell('a', [first])
      void world.start()
      await world.turned('trusted', 'True')
      await world.phase('Completed')
      expect((await world.current())?.commonName).toBe('kubernetes')

      await world.annotate('kubelet-signer', { [notAfter]: null })
      await world.phase('Preparing')
      const second = (await world.current())!
      await world.tell('a', [first, second])
      await world.signedBy(second.fingerprint)
      await world.until('the first CA left the bundle', async () => {
        await world.clock.advance(5000)
        return (await world.fingerprints('kubelet-ca')).length === 1
      })
      await world.rest(100_000)
      expect(Object.keys((await world.secret('kubelet-signer'))?.data ?? {})).not.toContain(
        'previous.crt',
      )
      expect(await world.status()).toMatchObject({
        phase: 'Completing',
        nodes: { trusting: 1, holdingOld: 1, laggards: [{ name: 'a' }] },
      })
      expect((await world.condition('progressing'))?.message).toMatch(
        /^1 of 1 nodes still hold a CA that is no longer published: a \(since /,
      )
      await world.tell('a', [second])
      await world.phase('Completed')
    },
  )

  it('takes the first CA away also when it was rotated twice in a row', async () => {
    world = new RotationWorld(server)
    const first = await firstAuthority('kubernetes')
    await world.rotation('kubelet')
    void world.start()
    await world.phase('Completed')
    for (const name of ['second', 'third']) {
      const before = (await world.current())!.fingerprint
      await world.annotate('kubelet-signer', { [notAfter]: null })
      await world.until(`there is a ${name} CA`, async () => {
        return (await world.current())!.fingerprint !== before
      })
      await world.signedBy((await world.current())!.fingerprint)
      expect(await world.fingerprints('kubelet-ca')).toContain(first.fingerprint)
    }
    await world.until('one CA is left', async () => {
      await world.clock.advance(5000)
      return (await world.fingerprints('kubelet-ca')).length === 1
    })
    expect(await world.fingerprints('kubelet-ca')).toEqual([(await world.current())!.fingerprint])
  })

  it.each([false, true])(
    'killed after every single write, it goes on where it was (answer lost: %s)',
    async (isAnswerLost) => {
      const first = await atRest('a')
      await world.stop()
      await world.annotate('kubelet-signer', { [notAfter]: null })
      const written: string[] = []
      for (let life = 0; life < 40; life++) {
        const { client, transport } = dyingClient(server.url, 1, isAnswerLost)
        void world.start(client)
        await world.follow('a')
        await world.until('it dies or rests', async () => {
          await world.clock.advance(3000)
          if (transport.isDead) return true
          const { phase, current } = (await world.status())!
          return phase === 'Completed' && current?.fingerprint !== first
        })
        await world.stop()
        written.push(...transport.written)
        if (!transport.isDead) break
      }
      expect((await world.status())?.phase).toBe('Completed')
      const current = (await world.current())!.fingerprint
      expect(current).not.toBe(first)
      expect(await world.fingerprints('client-ca')).toEqual([current])
      expect((await world.certificates('kubelet-client'))[1]?.fingerprint).toBe(current)
      const signers = written.filter((each) => each.endsWith('secrets/kubelet-signer'))
      // The new CA, and that the old one is gone.
      expect(signers).toHaveLength(2)
    },
  )

  it('two that think they lead make one rotation of it', async () => {
    await atRest('a')
    const second = new RotationWorld(server, world.clock)
    void second.start()
    await world.annotate('kubelet-signer', { [notAfter]: null })
    await world.phase('Preparing')
    await world.rest()
    expect(await world.fingerprints('client-ca')).toHaveLength(2)
    await world.follow('a')
    await world.signedBy((await world.current())!.fingerprint)
    await second.stop()
  })

  it('goes back when asked to, in the middle of it', async () => {
    const first = await atRest('a', 'b')
    await world.annotate('kubelet-signer', { [notAfter]: null })
    await world.phase('Preparing')
    await world.rest()
    const second = (await world.current())!.fingerprint
    await world.annotate('kubelet-signer', { 'machinist.dev/rotate-back': second })
    await world.until('it is back', async () => (await world.current())?.fingerprint === first)
    await world.follow('a', 'b')
    await world.until('the other one is gone', async () => {
      await world.follow('a', 'b')
      await world.clock.advance(60_000)
      return (await world.status())?.phase === 'Completed'
    })
    expect(await world.fingerprints('client-ca')).toEqual([first])
    const { annotations, ...metadata } = (await world.secret('kubelet-signer'))!.metadata
    expect(metadata.name).toBe('kubelet-signer')
    expect(annotations).not.toHaveProperty('machinist.dev/rotate-back')
  })

  it('names who is waited for, and does not wait for who is excused', async () => {
    await atRest('a', 'off')
    await world.annotate('kubelet-signer', { [notAfter]: null })
    await world.phase('Preparing')
    await world.rest()
    await world.follow('a')
    await world.rest(200_000)
    const current = (await world.current())!
    expect((await world.status())?.nodes?.laggards).toMatchObject([{ name: 'off' }])
    expect((await world.condition('progressing'))?.message).toContain('off (since ')
    const override = { authority: current.fingerprint, nodes: ['off'] }
    const patch = mergePatch({ spec: { override } })
    await world.client.patch(trustRotations, { name: 'kubelet' }, patch)
    await world.signedBy(current.fingerprint)
    expect((await world.status())?.nodes).toMatchObject({ excused: 1 })
  })

  it('recovers when 30, 90 or 365 days are gone', async () => {
    await atRest('a')
    for (const days of [30, 90, 365]) {
      world.clock.jump(days * day)
      await world.until('all is well again', async () => {
        await world.clock.advance(600_000)
        await world.follow('a')
        const { phase, targets, current } = (await world.status())!
        const ends = [...targets!.map((each) => each.notAfter), current!.notAfter]
        const isFresh = ends.every((end) => Date.parse(end!) > world.clock.now() + day)
        return phase === 'Completed' && isFresh
      })
      const current = (await world.current())!.fingerprint
      expect(await world.fingerprints('client-ca')).toEqual([current])
      expect((await world.certificates('kubelet-client'))[1]?.fingerprint).toBe(current)
    }
  })

  it('does nothing for who names what another one has, or what cannot be done', async () => {
    await atRest('a')
    await world.client.create(trustRotations, {
      metadata: { name: 'second' },
      spec: { signer: place('another'), bundle: place('kubelet-ca') },
    })
    await world.turned('degraded', 'True', 'second')
    expect(await world.condition('degraded', 'second')).toMatchObject({
      reason: 'Shared',
      message:
        'ConfigMap keys/kubelet-ca is written by TrustRotation kubelet, which is older: name another one, or delete one of the two',
    })
    const [client] = kubeletSpec.targets!
    const bad: RotationTarget = { ...client!, usage: 'server', hostnames: ['a b'] }
    await world.client.create(trustRotations, {
      metadata: { name: 'third' },
      spec: { signer: place('third'), bundle: place('third'), targets: [bad] },
    })
    await world.turned('degraded', 'True', 'third')
    expect(await world.condition('degraded', 'third')).toMatchObject({ reason: 'BadSpec' })
    expect(await world.secret('another')).toBeUndefined()
    expect(await world.secret('third')).toBeUndefined()
    // When the other one lets go of it, it is free.
    await world.client.remove(trustRotations, { name: 'kubelet' })
    await world.turned('degraded', 'False', 'second')
    expect(await world.secret('another')).toBeDefined()
  })

  it('leaves a bundle that cannot be read alone until it is repaired or gone', async () => {
    const first = await atRest('a')
    const text = (await world.configMap('kubelet-ca'))!.data!['ca-bundle.crt']!
    const spoil = (data: string): Promise<unknown> =>
      world.client.patch(
        configMaps,
        place('kubelet-ca'),
        mergePatch({ data: { 'ca-bundle.crt': data } }),
      )
    await spoil(`${text}-----BEGIN CERTIFICATE-----\nnonsense\n`)
    await world.turned('degraded', 'True')
    expect(await world.condition('degraded')).toMatchObject({ reason: 'BadBundle' })
    expect((await world.configMap('kubelet-ca'))!.data!['ca-bundle.crt']).toContain('nonsense')
    expect(await world.fingerprints('client-ca')).toEqual([first])
    await world.client.remove(configMaps, place('kubelet-ca'))
    await world.turned('degraded', 'False')
    expect(await world.fingerprints('kubelet-ca')).toEqual([first])
  })

  it('tells what it may not read, and goes on once it may', async () => {
    world = new RotationWorld(server)
    const { client, mend } = forbiddingClient(server.url, 'configmaps')
    await world.rotation('kubelet')
    void world.start(client)
    await world.turned('degraded', 'True')
    expect(await world.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message:
        'ConfigMap keys/kubelet-ca cannot be read: has the signer the right to get, list and watch it?',
    })
    expect(await world.secret('kubelet-signer')).toBeUndefined()
    mend()
    await world.turned('degraded', 'False')
    // The bundle follows from the CA, one pass later.
    await world.phase('Completed')
    expect(await world.fingerprints('kubelet-ca')).toHaveLength(1)
  })

  it('tells what it may not write, and does the rest', async () => {
    const first = await atRest('a')
    await world.client.remove(configMaps, place('client-ca'))
    await world.until('it is back', async () => (await world.configMap('client-ca')) !== undefined)
    await world.client.patch(configMaps, place('client-ca'), mergePatch({ immutable: true }))
    await world.annotate('kubelet-signer', { [notAfter]: null })
    await world.turned('degraded', 'True')
    expect(await world.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message: expect.stringContaining('the API server refused ConfigMap keys/client-ca (422'),
    })
    expect(await world.fingerprints('kubelet-ca')).toHaveLength(2)
    expect((await world.certificates('kubelet-client'))[1]?.fingerprint).toBe(first)
  })

  it('tells what fails again and again, and nothing of what was to be written', async () => {
    world = new RotationWorld(server)
    const { client, mend } = failingClient(server.url, 'secrets')
    await world.rotation('kubelet')
    void world.start(client)
    await world.turned('degraded', 'True')
    expect(await world.condition('degraded')).toMatchObject({
      reason: 'Refused',
      message:
        'Secret keys/kubelet-signer cannot be written: POST /api/v1/namespaces/keys/secrets: the API server refused it (500 InternalError)',
    })
    expect(world.logged).not.toMatch(/tls\.key/)
    mend()
    await world.turned('degraded', 'False')
    expect(await world.secret('kubelet-signer')).toBeDefined()
  })

  it('does not take away what another one is about to make anew', async () => {
    const { targets: _, publishedIn: __, ...rest } = kubeletSpec
    const signer = { ...kubeletSpec.signer, ...place('other-signer') }
    await atRest('a')
    await world.stop()
    await world.rotation('other', { ...rest, signer, bundle: place('other-ca') })
    const { client, transport } = dyingClient(server.url, Infinity)
    void world.start(client)
    await world.until('it is published', async () => {
      return (await world.certificates('client-ca')).length === 2
    })
    await world.rest()
    const before = transport.written.length
    await world.client.remove(configMaps, place('other-ca'))
    await world.until('it is back', async () => (await world.configMap('other-ca')) !== undefined)
    await world.rest()
    const written = transport.written.slice(before)
    expect(written).toContain('POST /api/v1/namespaces/keys/configmaps')
    expect(written).not.toContain('PUT /api/v1/namespaces/keys/configmaps/client-ca')
  })

  it('does not try what was refused again at every bit of news', async () => {
    world = new RotationWorld(server)
    const [target] = kubeletSpec.targets!
    const targets = [{ ...target!, namespace: 'nowhere' }]
    await world.rotation('kubelet', { ...kubeletSpec, targets })
    const { client, transport } = dyingClient(server.url, Infinity)
    void world.start(client)
    await world.turned('degraded', 'True')
    const tries = (): number =>
      transport.written.filter((each) => each.includes('/namespaces/nowhere/')).length
    const before = tries()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await world.node(name)
      await world.clock.advance(1000)
      await world.until('it is counted', async () => {
        return world.metrics
          .text()
          .includes(
            `machinist_rotation_lagging_nodes{rotation="kubelet"} ${name.charCodeAt(0) - 96}`,
          )
      })
    }
    expect(tries() - before).toBeLessThan(2)
    await world.until('it is tried again', async () => tries() > before + 1, 30_000)
    expect(await world.condition('degraded')).toMatchObject({
      message: 'Secret nowhere/kubelet-client cannot be made: is there a namespace for it?',
    })
  })

  it('writes little while many nodes report', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `node-${i}`)
    world = new RotationWorld(server)
    for (const name of names) await world.node(name)
    await world.rotation('kubelet')
    const { client, transport } = dyingClient(server.url, Infinity)
    void world.start(client)
    await world.phase('Completing')
    await world.rest()
    const before = transport.written.length
    for (const name of names) {
      await world.follow(name)
      await world.clock.advance(200)
    }
    await world.turned('trusted', 'True')
    // A minute of news and the last one; each pass would have been one.
    expect(transport.written.length - before).toBeLessThan(10)
  })

  it('publishes what others give, too, as long as it can be read', async () => {
    const first = await atRest('a')
    const from = world.clock.now()
    const validity = { from, until: from + 400 * day }
    const { certificate } = await createAuthority({ name: 'somebody', validity })
    await world.client.create(configMaps, {
      metadata: place('other-ca'),
      data: { 'ca-bundle.crt': certificate },
    })
    await world.until('it is published', async () => {
      return (await world.certificates('client-ca')).length === 2
    })
    const published = (await world.configMap('client-ca'))!.data!['ca-bundle.crt']!
    expect(published.endsWith(certificate)).toBe(true)
    expect(await world.fingerprints('kubelet-ca')).toEqual([first])
    const patch = mergePatch({ data: { 'ca-bundle.crt': 'nonsense' } })
    await world.client.patch(configMaps, place('other-ca'), patch)
    await world.turned('degraded', 'True')
    expect((await world.configMap('client-ca'))!.data!['ca-bundle.crt']).toBe(published)
  })
})
