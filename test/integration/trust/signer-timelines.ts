import { expect, it } from 'vitest'
import { coreEvents } from '@machinist/kube/kinds/events'
import { nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { certificateIn, rotate } from '../signer/rotation-operations.ts'
import { inspect } from '../signer/inspection.ts'
import { apiServers, kubelets } from '../signer/rotations.ts'
import type { Reached } from './cluster.ts'
import { kubeletRotation, servingRotation, SignedStory } from './signed-story.ts'
import { signerCases } from './signer.cases.ts'
import { alike, names } from './story.ts'

const family = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer'

/** Whole rotations by the signer, checked on the disks of nodes. */
export function signerTimelines(reach: () => Promise<Reached>): void {
  const story = new SignedStory(reach)
  const { status, phase, letIn, issuer: issuerOf, isUpdated } = story

  it('an installation creates missing CAs and causes no restart', async () => {
    const { cluster } = story
    await phase('Completed')
    await phase('Completed', servingRotation)
    await isUpdated('master')
    await isUpdated('worker')
    await story.pulseIsOver()
    for (const name of [kubeletRotation, servingRotation]) {
      await cluster.time.until('all nodes trust the CA', async () => {
        const { nodes } = await status(name)
        return nodes?.total === 5 && nodes.trusting === 5
      })
    }
    await story.takeTime()
    const signer = await story.signer(kubelets.signer)
    expect(signer).toMatch(new RegExp(`^${family}@\\d+$`))
    await letIn([signer])
    expect(await issuerOf(kubelets.target)).toBe(signer)
    expect(await issuerOf(apiServers.target)).toBe('loadbalancer-serving-signer@1')
    expect(await certificateIn(cluster.client, kubelets.target)).toMatchObject({
      commonName: 'system:kube-apiserver',
      organizations: ['kube-master'],
    })
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
    expect(await cluster.each((node) => node.apiServerCAs())).toEqual(
      alike(names, [story.apiCA, story.apiCA]),
    )
  })

  signerCases(story)

  it('a new CA of the API server: kubelets restart once, on the control plane one after the other', async () => {
    const { cluster } = story
    await cluster.begin()
    const old = await story.signer(apiServers.signer)
    await rotate(cluster.client, apiServers.signer)
    const fresh = await story.signer(apiServers.signer, old)
    expect(fresh).toMatch(/^openshift-kube-apiserver-operator_loadbalancer-serving-signer@\d+$/)
    await cluster.time.until('the new CA signs', async () => {
      return (await issuerOf(apiServers.target)) === fresh
    })
    // Every kubelet has loaded the CA by then.
    const restarts = await cluster.each(({ actions }) => actions)
    expect(restarts).toEqual(alike(names, ['restart kubelet.service']))
    expect(await story.state('api-server-ca')).toEqual(alike(names, 'Current'))
    expect(cluster.mostDown).toBe(1)
    await phase('Completed', servingRotation)
    await cluster.calm()
    expect(await story.authorities(apiServers.published)).toEqual([fresh])
    const given = (await story.data('openshift-config-managed', 'kube-apiserver-server-ca'))[
      'ca-bundle.crt'
    ]
    expect(await cluster.each((node) => node.apiServerCAs())).toEqual(alike(names, [given, given]))
    expect(await cluster.each(({ actions }) => actions)).toEqual(
      alike(names, ['restart kubelet.service']),
    )
    expect(cluster.history.rendered).toEqual([])
  })

  it('all certificates are valid, and no report contains a key', async () => {
    const { cluster } = story
    const key = 'P-256' as const
    const bundle = 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca'
    const serving = 'openshift-kube-apiserver-operator/loadbalancer-serving-ca'
    const server = 'openshift-machine-config-operator/machine-config-server-ca'
    const { faults } = inspect(
      cluster.issued.written,
      {
        'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': {
          bundle,
          key,
          purpose: 'authority',
          subject: new RegExp(`^CN=${family}@\\d+$`),
          hours: 8760,
        },
        'openshift-kube-apiserver/kubelet-client': {
          bundle,
          key,
          purpose: 'client',
          subject: /^CN=system:kube-apiserver,O=kube-master$/,
          hours: 720,
        },
        'openshift-kube-apiserver-operator/loadbalancer-serving-signer': {
          bundle: serving,
          key,
          purpose: 'authority',
          subject: /^CN=openshift-kube-apiserver-operator_loadbalancer-serving-signer@\d+$/,
          hours: 87_600,
        },
        'openshift-kube-apiserver/external-loadbalancer-serving-certkey': {
          bundle: serving,
          key,
          purpose: 'server',
          subject: /^CN=machinist-apiserver$/,
          hours: 720,
          names: 'DNS:api.one.example.com, IP Address:10.0.0.1',
        },
        [server]: {
          bundle: server,
          key: 'RSA 2048',
          purpose: 'authority',
          subject: /^CN=openshift-machine-config-operator_machine-config-server-ca@\d+$/,
          hours: 87_600,
        },
        'openshift-machine-config-operator/machine-config-server-tls': {
          bundle: server,
          key: 'RSA 2048',
          purpose: 'server',
          subject: /^CN=system:machine-config-server$/,
          hours: 87_600,
          names: 'DNS:api-int.machinist.example',
        },
      },
      story.apiCA,
    )
    expect(faults).toEqual([])
    const reported = [
      JSON.stringify(await Array.fromAsync(cluster.client.listAll(coreEvents))),
      JSON.stringify(await Array.fromAsync(cluster.client.listAll(nodeTrusts))),
      JSON.stringify([await status(), await status(servingRotation)]),
      cluster.logged,
      cluster.metrics.text(),
    ].join('\n')
    expect(reported).toContain('kube-apiserver-to-kubelet')
    const keys = cluster.issued.written.flatMap(({ data }) => data['tls.key'] ?? [])
    const secretsOf = keys.map((pem) => pem.split('\n')[1]!.slice(0, 40))
    expect(secretsOf.filter((text) => reported.includes(text))).toEqual([])
    expect(secretsOf.length).toBeGreaterThan(10)
  })
}
