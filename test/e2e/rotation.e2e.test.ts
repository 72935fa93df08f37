import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { readBundle } from '@machinist/pki/bundle'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { end } from '@machinist/testing/processes/child-processes'
import { RealInformer } from '@machinist/testing/clusters/real-client'
import type { RotationPhase, TrustRotation } from '../../src/api/kinds/trust-rotation.ts'
import { rotationPhases } from '../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../src/api/kinds/resources.ts'
import { connect } from '../../src/process/connect.ts'
import { ApiProbe, caInKubeconfig } from './api-probe.ts'
import { bootIds, removeNotAfter, nodesOf, patchConfigMap, settled } from './running-cluster.ts'
import { until } from './until.ts'
import { UpProcesses } from './up-processes.ts'

const signers = 'openshift-kube-apiserver-operator'
const managed = 'openshift-config-managed'
const names = ['master-0', 'worker-0', 'worker-1']
const kubeconfigs = ['etc/kubernetes/kubeconfig', 'var/lib/kubelet/kubeconfig']

/** Common names of the CAs in a PEM text. */
const namesIn = (pem: string): string[] =>
  [...readBundle(pem).bundle.values()].map(({ commonName }) => commonName ?? '').sort()

const rotationOf = (client: KubeClient, name: string): Promise<TrustRotation> =>
  client.get(trustRotations, { name })

const currentOf = ({ status }: TrustRotation): string =>
  status?.current?.subject.replace('CN=', '') ?? ''

/** Waits for a completed rotation and returns the name of the current CA. */
async function completed(client: KubeClient, name: string, before = ''): Promise<string> {
  let rotation: TrustRotation | undefined
  await until(`${name} is completed`, async () => {
    rotation = await rotationOf(client, name)
    return rotation.status?.phase === 'Completed' && currentOf(rotation) !== before
  })
  return currentOf(rotation!)
}

/** Records every observed phase, in order. */
function recordPhases({ informer }: RealInformer<TrustRotation>, name: string): RotationPhase[] {
  const observed: RotationPhase[] = []
  informer.subscribe(({ type, object: { metadata, status } }) => {
    if (type !== 'updated' || metadata.name !== name || !status?.phase) return
    if (observed.at(-1) !== status.phase) observed.push(status.phase)
  })
  return observed
}

describe('machinist up', { timeout: 240_000 }, () => {
  const up = new UpProcesses()
  afterAll(() => up.stop(), 60_000)

  it('delivers new CAs to every node, then signs with them, then removes the old ones', async () => {
    const { child, client, output } = await up.start('1,2')
    const reached = { client, kubeconfig: up.kubeconfig }
    await settled(client, 'worker', 2)
    const kubelet = await completed(client, 'kube-apiserver-to-kubelet')
    const serving = await completed(client, 'kube-apiserver-serving')
    expect(serving).toBe('machinist')
    expect(kubelet).toMatch(/^openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@/)
    await until('all nodes trust the current CAs', async () => {
      const { items } = await client.list(trustRotations)
      const ofNodes = items.filter(({ spec }) => spec.trustedBy)
      return ofNodes.every(({ status }) => status?.nodes?.trusting === names.length)
    })
    const booted = bootIds(await nodesOf(client, 'worker'))

    const old = caInKubeconfig(up.kubeconfig)
    const watched = new RealInformer<TrustRotation>(client.listWatch(trustRotations))
    await watched.informer.synced()
    const phases = ['kube-apiserver-serving', 'kube-apiserver-to-kubelet'].map((name) =>
      recordPhases(watched, name),
    )
    // When the server uses a certificate of another CA, every kubelet must already trust it.
    let atSwitch: string[][] = []
    const changed = (): void => {
      atSwitch = names.flatMap((node) =>
        kubeconfigs.map((path) => namesIn(caInKubeconfig(`${up.data}/nodes/${node}/${path}`))),
      )
    }
    const probe = new ApiProbe(up.kubeconfig, { old, changed })
    await removeNotAfter(reached, { namespace: signers, name: 'kube-apiserver-to-kubelet-signer' })
    await removeNotAfter(reached, { namespace: signers, name: 'loadbalancer-serving-signer' })
    const nextKubelet = await completed(client, 'kube-apiserver-to-kubelet', kubelet)
    const nextServing = await completed(client, 'kube-apiserver-serving', serving)
    await until('no disk contains the old CAs', () =>
      names.every(
        (node) =>
          namesIn(up.onDisk(node, 'etc/kubernetes/kubelet-ca.crt')).join() === nextKubelet &&
          kubeconfigs.every(
            (path) =>
              namesIn(caInKubeconfig(`${up.data}/nodes/${node}/${path}`)).join() === nextServing,
          ),
      ),
    )
    const probed = await probe.stop()
    await watched.stop()

    expect(nextServing).toMatch(/^openshift-kube-apiserver-operator_loadbalancer-serving-signer@/)
    expect(probed.failures).toEqual([])
    expect(probed.issuers).toEqual([serving, nextServing])
    expect(atSwitch).toHaveLength(6)
    for (const known of atSwitch) expect(known).toContain(nextServing)
    for (const node of names) {
      expect(up.onDisk(node, 'var/log/machinist-sandbox.log')).toMatch(/restart.* kubelet/)
    }
    await expect(probed.requestWith(old)).rejects.toThrow('certificate')
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
    for (const observed of phases) {
      // A watch can miss a phase, but no phase comes twice or too early.
      const after = observed.slice(observed.indexOf('Preparing'))
      expect(after).toEqual(rotationPhases.filter((phase) => after.includes(phase)))
      expect([after[0], after.at(-1)]).toEqual(['Preparing', 'Completed'])
    }
    expect(output()).toMatch(/^rotation kube-apiserver-serving: Preparing \d\/3: \d of 3 nodes/m)
    expect(output()).toContain('rotation kube-apiserver-serving: done')
    expect(bootIds(await nodesOf(client, 'worker'))).toEqual(booted)
    expect(up.errors()).toEqual([])
    // Not even at the start, before the first CAs existed.
    const { items: events } = await client.list(coreEvents)
    expect(events.map(({ message = '' }) => message).join('\n')).not.toMatch(
      /is not there|does not exist/,
    )
    const after = { namespace: 'default', name: 'after' }
    await client.create(configMaps, { metadata: after })
    await patchConfigMap(reached, after, { still: 'works' })

    await end(child, 'SIGKILL')
    const again = await up.start('1,2')
    const restarted = await new ApiProbe(up.kubeconfig).stop()
    expect(restarted.issuers).toEqual([nextServing])
    expect(await completed(again.client, 'kube-apiserver-serving')).toBe(nextServing)
    await end(again.child, 'SIGINT')
  })
})

describe('the data of an older machinist up', { timeout: 240_000 }, () => {
  const up = new UpProcesses()
  afterAll(() => up.stop(), 60_000)

  it('is reused: its CAs stay, and the signer manages them', async () => {
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
