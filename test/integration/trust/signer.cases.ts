import { expect, it } from 'vitest'
import { timestamp } from '@machinist/core/timestamp'
import { secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { annotate, certificateIn, rotate } from '../signer/rotation-operations.ts'
import { kubelets } from '../signer/rotations.ts'
import type { SignedStory } from './signed-story.ts'
import { settleMs } from './signed-story.ts'
import { alike, isNoBoot, kubeletCA, masters, names, workers } from './story.ts'

const notAfter = 'auth.openshift.io/certificate-not-after'
const notBefore = 'auth.openshift.io/certificate-not-before'
const issuer = 'auth.openshift.io/certificate-issuer'
const component = 'openshift.io/owning-component'
const note = '/etc/machine-config-daemon/trust.json'

/** Operations of users on the signer for clients of kubelets. */
export function signerCases(story: SignedStory): void {
  const { status, phase, letIn, callers, issuer: issuerOf, rendered, isUpdated } = story

  it('rendered: one new config for each pool without disruption; a paused pool delays the rotation and is named', async () => {
    const { cluster } = story
    await cluster.pause('worker', true)
    await cluster.begin()
    const old = await story.signer(kubelets.signer)
    await rotate(cluster.client, kubelets.signer)
    const fresh = await story.signer(kubelets.signer, old)
    await letIn([old, fresh], cluster.some(masters))
    await isUpdated('master')
    await cluster.calm()
    await cluster.time.pass(2 * settleMs)
    expect(await cluster.each(callers, cluster.some(workers))).toEqual(alike(workers, [old]))
    const held = await status()
    expect(held).toMatchObject({
      phase: 'Preparing',
      current: { subject: `CN=${fresh}` },
      retiring: [{ subject: `CN=${old}` }],
      nodes: { total: 5, trusting: 3 },
    })
    expect(held.nodes?.laggards?.map(({ name, since }) => ({ name, since }))).toEqual(
      workers.map((name) => ({ name, since: held.current?.notBefore })),
    )
    const progressing = held.conditions?.find(({ type }) => type === 'Progressing')
    expect(progressing).toMatchObject({ status: 'True', reason: 'WaitingForNodes' })
    for (const name of workers) expect(progressing?.message).toContain(name)
    expect(await issuerOf(kubelets.target)).toBe(old)
    expect(rendered()).toEqual(['master', 'worker'])

    await cluster.pause('worker', false)
    await letIn([old, fresh])
    await isUpdated('worker')
    expect(await issuerOf(kubelets.target)).toBe(old)
    // Kubelets have not loaded the new file yet.
    const reported = await cluster.each((node) => node.reportedItem('kubelet-client-ca'))
    for (const name of workers) {
      expect(reported[name]!.writtenAt! > reported['master-0']!.writtenAt!).toBe(true)
    }
    await phase('Completing')
    expect(await issuerOf(kubelets.target)).toBe(fresh)
    expect(rendered()).toEqual(['master', 'worker'])
    await phase('Completed')
    await letIn([fresh])
    await isUpdated('master')
    await isUpdated('worker')
    await cluster.calm()
    // Another bundle, without the old CA.
    expect(rendered()).toEqual(['master', 'master', 'worker', 'worker'])
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
    expect(cluster.disruptions()).toEqual([])
    expect(cluster.history.pulses).toEqual([])
  })

  it('removing certificate-issuer changes nothing', async () => {
    const { cluster } = story
    await cluster.say({ certificateDelivery: 'direct' })
    await cluster.time.until('all nodes have reported', async () => {
      const states = Object.values(await story.state('kubelet-client-ca'))
      return states.every((state) => state === 'Current')
    })
    await isUpdated('master')
    await isUpdated('worker')
    await cluster.begin()
    const before = await story.versions()
    await annotate(cluster.client, kubelets.signer, { [issuer]: null })
    await cluster.time.pass(settleMs)
    await cluster.calm()
    const after = await story.versions()
    const touched = Object.keys(after).filter((key) => after[key] !== before[key])
    expect(touched).toEqual([
      'secrets openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer',
    ])
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(Object.keys(after).length).toBeGreaterThan(30)
    const { metadata } = await cluster.client.get(secrets, kubelets.signer)
    expect(metadata.annotations).not.toHaveProperty([issuer])
    expect(await cluster.each(({ written }) => written)).toEqual(alike(names, []))
    expect(await cluster.each(({ line }) => line.requests())).toEqual(alike(names, []))
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
  })

  it('direct: every node, paused or not, with one read, one file and one report; a node that is off delays the rotation', async () => {
    const { cluster } = story
    await cluster.pause('worker', true)
    const off = cluster.node('worker-1')
    await off.powerOff()
    await cluster.begin()
    const old = await story.signer(kubelets.signer)
    await rotate(cluster.client, kubelets.signer)
    const fresh = await story.signer(kubelets.signer, old)
    const on = cluster.nodes.filter((node) => node !== off)
    await letIn([old, fresh], on)
    await cluster.calm()
    const live = [...masters, 'worker-0']
    const price = (name: string): string[] => [
      'GET controllerconfigs/machine-config-controller',
      `PATCH nodetrusts/${name}/status`,
    ]
    const requests = (): Promise<Record<string, string[]>> =>
      cluster.each((node) => node.line.requests().sort(), on)
    expect(await requests()).toEqual(Object.fromEntries(live.map((name) => [name, price(name)])))
    expect(await cluster.each(({ written }) => written, on)).toEqual(alike(live, [kubeletCA, note]))
    expect(cluster.history).toMatchObject({ rendered: [], pulses: [] })

    await cluster.time.pass(2 * settleMs)
    expect(await status()).toMatchObject({
      phase: 'Preparing',
      nodes: { total: 5, trusting: 4, laggards: [{ name: 'worker-1' }] },
    })
    expect(await issuerOf(kubelets.target)).toBe(old)
    expect(await callers(off)).toEqual([old])

    await off.powerOn()
    await letIn([old, fresh])
    expect(await issuerOf(kubelets.target)).toBe(old)
    for (const node of on) node.forget()
    await phase('Completing')
    expect(await issuerOf(kubelets.target)).toBe(fresh)
    expect(await requests()).toEqual(alike(live, []))
    await phase('Completed')
    await letIn([fresh])
    await cluster.calm()
    expect(await requests()).toEqual(Object.fromEntries(live.map((name) => [name, price(name)])))
    expect(await cluster.each(({ actions }) => actions.filter(isNoBoot))).toEqual(alike(names, []))
    expect(cluster.history).toMatchObject({ rendered: [], pulses: [] })
    expect(cluster.disruptions()).toEqual([])
    expect(await story.authorities(kubelets.bundle)).toEqual([fresh])
    expect(await story.authorities(kubelets.published)).toEqual([fresh])
    const kept = await cluster.client.get(secrets, kubelets.signer)
    expect(Object.keys(kept.data ?? {}).sort()).toEqual(['tls.crt', 'tls.key'])
    expect(await status()).toMatchObject({ nodes: { trusting: 5, holdingOld: 0 } })
    expect(await status()).not.toHaveProperty('retiring')
    await cluster.pause('worker', false)
  })

  it('operations on the signer have the same effect as on OpenShift', async () => {
    const { cluster } = story
    const { client, time } = cluster
    const past = timestamp(time.clock.now() - 1000)
    const changes: readonly Readonly<Record<string, string | null>>[] = [
      { [notBefore]: null },
      { [notAfter]: past },
      { [notAfter]: 'garbage' },
      { [notAfter]: null, [notBefore]: null, [issuer]: null, [component]: null },
    ]
    for (const change of changes) {
      const before = await story.signer(kubelets.signer)
      await annotate(client, kubelets.signer, change)
      await story.signer(kubelets.signer, before)
    }
    const replaced = await story.signer(kubelets.signer)
    // CAs are named by the second of their creation, and no trace of this one may be left.
    await time.pass(1000)
    await client.remove(secrets, kubelets.signer)
    const last = await story.signer(kubelets.signer, replaced)

    await phase('Completed')
    expect(await story.signer(kubelets.signer)).toBe(last)
    expect(await issuerOf(kubelets.target)).toBe(last)
    await letIn([last])
    expect(await story.authorities(kubelets.published)).toEqual([last])
    const { metadata } = await client.get(secrets, kubelets.signer)
    expect(metadata.annotations).toMatchObject({ [issuer]: last })
    const events = await Array.fromAsync(client.listAll(coreEvents))
    expect(events.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining([
        'SignerUpdateRequired',
        'CABundleUpdateRequired',
        'TargetUpdateRequired',
      ]),
    )
  })

  it('metadata is restored, and a certificate is reissued, without effect on others', async () => {
    const { cluster } = story
    const { client, time } = cluster
    await cluster.begin()
    const [before, signer] = [await story.versions(), await story.signer(kubelets.signer)]
    const leaf = await certificateIn(client, kubelets.target)
    await annotate(client, kubelets.signer, { [component]: null })
    await time.until('the metadata is restored', async () => {
      const { metadata } = await client.get(secrets, kubelets.signer)
      return metadata.annotations?.[component] !== undefined
    })
    await annotate(client, kubelets.target, { [issuer]: null })
    await time.until('the certificate is reissued', async () => {
      return (await certificateIn(client, kubelets.target))?.serial !== leaf?.serial
    })
    await cluster.calm()
    expect(await story.signer(kubelets.signer)).toBe(signer)
    expect(await issuerOf(kubelets.target)).toBe(signer)
    const after = await story.versions()
    const touched = Object.keys(after).filter((key) => after[key] !== before[key])
    expect(touched.filter((key) => !key.startsWith('events ')).sort()).toEqual([
      'secrets openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer',
      'secrets openshift-kube-apiserver/kubelet-client',
      'trustrotations /kube-apiserver-to-kubelet',
    ])
    expect(await cluster.each(({ line }) => line.requests())).toEqual(alike(names, []))
    expect(await cluster.each(({ written }) => written)).toEqual(alike(names, []))
  })
}
