import { afterAll, describe, expect, it } from 'vitest'
import type { RotationPhase, TrustRotation } from '../../src/api/kinds/trust-rotation.ts'
import { rotationPhases } from '../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../src/api/resources.ts'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { connect } from '../../src/process/connect.ts'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { KubeClient } from '@machinist/kube/client'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { readBundle } from '@machinist/pki/bundle'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { end } from '@machinist/testing/child-processes'
import { RealInformer } from '@machinist/testing/real-client'
import { ApiProbe, caInKubeconfig } from './api-probe.ts'
import { bootIds, forgetEnd, nodesOf, patchConfigMap, settled } from './running-cluster.ts'
import { until } from './until.ts'
import { UpProcesses } from './up-processes.ts'

const signers = 'openshift-kube-apiserver-operator'
const managed = 'openshift-config-managed'
const names = ['master-0', 'worker-0', 'worker-1']
const kubeconfigs = ['etc/kubernetes/kubeconfig', 'var/lib/kubelet/kubeconfig']

/** The CAs in a text, by name. */
const namesIn = (pem: string): string[] =>
  [...readBundle(pem).bundle.values()].map(({ commonName }) => commonName ?? '').sort()

const rotationOf = (client: KubeClient, name: string): Promise<TrustRotation> =>
  client.get(trustRotations, { name })

const currentOf = ({ status }: TrustRotation): string =>
  status?.current?.subject.replace('CN=', '') ?? ''

/** The new CA's name, once nothing is left of the one before. */
async function completed(client: KubeClient, name: string, before = ''): Promise<string> {
  let rotation: TrustRotation | undefined
  await until(`${name} is completed`, async () => {
    rotation = await rotationOf(client, name)
    return rotation.status?.phase === 'Completed' && currentOf(rotation) !== before
  })
  return currentOf(rotation!)
}

/** Every phase that anybody who watches would see, in order. */
function phasesSeen({ informer }: RealInformer<TrustRotation>, name: string): RotationPhase[] {
  const seen: RotationPhase[] = []
  informer.subscribe(({ type, object: { metadata, status } }) => {
    if (type !== 'updated' || metadata.name !== name || !status?.phase) return
    if (seen.at(-1) !== status.phase) seen.push(status.phase)
  })
  return seen
}

describe('machinist up', { timeout: 240_000 }, () => {
  const up = new UpProcesses()
  afterAll(() => up.stop(), 60_000)

  it('takes new CAs to every node, then signs with them, then lets the old ones go', async () => {
    const { child, client, said } = await up.start('1,2')
    const reached = { client, kubeconfig: up.kubeconfig }
    await settled(client, 'worker', 2)
    const kubelet = await completed(client, 'kube-apiserver-to-kubelet')
    const serving = await completed(client, 'kube-apiserver-serving')
    expect(serving).toBe('machinist')
    expect(kubelet).toMatch(/^openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@/)
    await until('all nodes trust what there is', async () => {
      const { items } = await client.list(trustRotations)
      return items.every(({ status }) => status?.nodes?.trusting === names.length)
    })
    const booted = bootIds(await nodesOf(client, 'worker'))

    const old = caInKubeconfig(up.kubeconfig)
    const watched = new RealInformer<TrustRotation>(client.listWatch(trustRotations))
    await watched.informer.synced()
    const phases = ['kube-apiserver-serving', 'kube-apiserver-to-kubelet'].map((name) =>
      phasesSeen(watched, name),
    )
    // At the moment at which the server shows a certificate of another CA, every kubelet must know it.
    let atSwitch: string[][] = []
    const changed = (): void => {
      atSwitch = names.flatMap((node) =>
        kubeconfigs.map((path) => namesIn(caInKubeconfig(`${up.data}/nodes/${node}/${path}`))),
      )
    }
    const probe = new ApiProbe(up.kubeconfig, { old, changed })
    await forgetEnd(reached, { namespace: signers, name: 'kube-apiserver-to-kubelet-signer' })
    await forgetEnd(reached, { namespace: signers, name: 'loadbalancer-serving-signer' })
    const nextKubelet = await completed(client, 'kube-apiserver-to-kubelet', kubelet)
    const nextServing = await completed(client, 'kube-apiserver-serving', serving)
    await until('nothing is left of the old ones on any disk', () =>
      names.every(
        (node) =>
          namesIn(up.onDisk(node, 'etc/kubernetes/kubelet-ca.crt')).join() === nextKubelet &&
          kubeconfigs.every(
            (path) =>
              namesIn(caInKubeconfig(`${up.data}/nodes/${node}/${path}`)).join() === nextServing,
          ),
      ),
    )
    const told = await probe.stop()
    await watched.stop()

    expect(nextServing).toMatch(/^openshift-kube-apiserver-operator_loadbalancer-serving-signer@/)
    expect(told.failures).toEqual([])
    expect(told.issuers).toEqual([serving, nextServing])
    expect(atSwitch).toHaveLength(6)
    for (const known of atSwitch) expect(known).toContain(nextServing)
    for (const node of names) {
      expect(up.onDisk(node, 'var/log/machinist-sandbox.log')).toMatch(/restart.* kubelet/)
    }
    await expect(told.askWith(old)).rejects.toThrow('certificate')
    expect(namesIn(caInKubeconfig(up.kubeconfig))).toEqual([nextServing])
    for (const [namespace, name, expected] of [
      [signers, 'kube-apiserver-to-kubelet-client-ca', nextKubelet],
      [managed, 'kube-apiserver-client-ca', nextKubelet],
      [signers, 'loadbalancer-serving-ca', nextServing],
      [managed, 'kube-apiserver-server-ca', nextServing],
    ] as const) {
      const found = await client.get(configMaps, { namespace, name })
      expect(namesIn(found.data?.['ca-bundle.crt'] ?? '')).toEqual([expected])
    }
    const { items } = await client.list(secrets, { namespace: signers })
    expect(items.flatMap(({ data }) => Object.keys(data ?? {})).sort()).toEqual([
      'tls.crt',
      'tls.crt',
      'tls.key',
      'tls.key',
    ])
    for (const seen of phases) {
      // Who looks away for a moment may miss one, but none comes twice or too early.
      const after = seen.slice(seen.indexOf('Preparing'))
      expect(after).toEqual(rotationPhases.filter((phase) => after.includes(phase)))
      expect([after[0], after.at(-1)]).toEqual(['Preparing', 'Completed'])
    }
    expect(said()).toMatch(/^rotation kube-apiserver-serving: Preparing \d\/3: \d of 3 nodes/m)
    expect(said()).toContain('rotation kube-apiserver-serving: done')
    expect(bootIds(await nodesOf(client, 'worker'))).toEqual(booted)
    expect(up.errors()).toEqual([])
    // Not even for the moment at the very start in which there were no CAs yet.
    const { items: events } = await client.list(coreEvents)
    expect(events.map(({ message = '' }) => message).join('\n')).not.toContain('is not there')
    const after = { namespace: 'default', name: 'after' }
    await client.create(configMaps, { metadata: after })
    await patchConfigMap(reached, after, { still: 'works' })

    await end(child, 'SIGKILL')
    const again = await up.start('1,2')
    const shown = await new ApiProbe(up.kubeconfig).stop()
    expect(shown.issuers).toEqual([nextServing])
    expect(await completed(again.client, 'kube-apiserver-serving')).toBe(nextServing)
    await end(again.child, 'SIGINT')
  })
})

describe('the data of an older machinist up', { timeout: 240_000 }, () => {
  const up = new UpProcesses()
  afterAll(() => up.stop(), 60_000)

  it('is gone on with: its CAs stay, and are the signer’s from now on', async () => {
    const validity = validFor(systemClock, 365 * 86_400_000)
    const name = 'kube-apiserver-to-kubelet-signer'
    const signer = await createAuthority({ name: `${name}@1`, validity })
    const api = await startEmbeddedApi({
      data: up.data,
      host: '127.0.0.1',
      port: 0,
      log: silentLogger,
    })
    const { client, close } = await connect({ kubeconfig: api.kubeconfig })
    for (const each of [signers, managed, 'openshift-machine-config-operator']) {
      await client.create(namespaces, { metadata: { name: each } })
    }
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const end365 = new Date(validity.until).toISOString().replace(/\.\d+Z/, 'Z')
    await client.create(secrets, {
      metadata: {
        namespace: signers,
        name,
        annotations: {
          'auth.openshift.io/certificate-not-before': new Date(validity.from).toISOString(),
          'auth.openshift.io/certificate-not-after': end365,
          'auth.openshift.io/certificate-issuer': `${name}@1`,
        },
      },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': base64(signer.certificate), 'tls.key': base64(signer.key) },
    })
    for (const [namespace, each, pem] of [
      [signers, 'kube-apiserver-to-kubelet-client-ca', signer.certificate],
      [managed, 'kube-apiserver-client-ca', signer.certificate],
      [managed, 'kube-apiserver-server-ca', api.authority.certificate],
    ] as const) {
      const data = { 'ca-bundle.crt': pem }
      await client.create(configMaps, { metadata: { namespace, name: each }, data })
    }
    const mark = { namespace: 'kube-system', name: 'bootstrap' }
    await client.create(configMaps, { metadata: mark, data: { status: 'complete' } })
    close()
    await api.stop()

    const started = await up.start('1')
    expect(await completed(started.client, 'kube-apiserver-to-kubelet')).toBe(`${name}@1`)
    expect(await completed(started.client, 'kube-apiserver-serving')).toBe('machinist')
    const published = await started.client.get(configMaps, {
      namespace: managed,
      name: 'kube-apiserver-client-ca',
    })
    expect(published.data?.['ca-bundle.crt']).toBe(signer.certificate)
    const kept = await started.client.get(secrets, { namespace: signers, name })
    expect(kept.data?.['tls.crt']).toBe(base64(signer.certificate))
    expect(kept.metadata.labels).toEqual({ 'auth.openshift.io/managed-certificate-type': 'signer' })
    expect(namesIn(caInKubeconfig(up.kubeconfig))).toEqual(['machinist'])
    expect(up.errors()).toEqual([])
    await end(started.child, 'SIGINT')
  })
})
