import { expect, it } from 'vitest'
import { sameJson } from '@machinist/core/encoding/json'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../src/api/kinds/resources.ts'
import { authority, bundle } from '../daemon/trust/certificates.ts'
import * as operatorLoop from '../operator/trust/running-loop.ts'
import type { TrustNode } from './node.ts'
import type { Story } from './story.ts'
import { alike, isNoBoot, kubeconfigs, kubeletCA, masters, names } from './story.ts'

const anchor = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'
const certs = '/etc/docker/certs.d'
const cloudCA = '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem'
const managed = 'openshift-config-managed'
const operator = 'openshift-machine-config-operator'

/** Whole rotations with direct delivery. */
export function directCases(story: Story): void {
  const { has, isUpdated, pulseIsOver, apiServerCA, data, rendered } = story

  /** The pending CAs of the API server, as soon as they differ from this. */
  const isNoted = async (before: string | undefined): Promise<string | undefined> => {
    let now: string | undefined
    await story.cluster.time.meanwhile('it is noted', async () => {
      const key = { namespace: operator, name: 'kubeconfig-data' }
      const { metadata } = await story.cluster.client.get(configMaps, key)
      now = metadata.annotations?.['machinist.dev/pending']
      return now !== before
    })
    return now
  }

  it('a new kubelet CA reaches every node, paused or not, with one read and one write per node', async () => {
    const { cluster } = story
    await cluster.pause('worker', true)
    const late = cluster.node('worker-1')
    await late.powerOff()
    await cluster.begin()
    const old = await late.read(kubeletCA)
    const before = await cluster.each((node) => node.annotation('desiredConfig'))
    const next = await bundle('kubelet-signer@2', 'kubelet-signer@1')
    // A missing final newline of the source is added in the file.
    await operatorLoop.putInput(cluster.client, 'kubelet', next.trimEnd())
    const on = cluster.nodes.filter(({ name }) => name !== 'worker-1')
    await has(kubeletCA, next, on)
    await cluster.calm()

    const live = [...masters, 'worker-0']
    expect(await cluster.each((node) => node.mode(kubeletCA), on)).toEqual(alike(live, '0644'))
    expect(await cluster.each((node) => node.line.requests().sort(), on)).toEqual(
      Object.fromEntries(
        live.map((name) => [
          name,
          ['GET controllerconfigs/machine-config-controller', `PATCH nodetrusts/${name}/status`],
        ]),
      ),
    )
    expect(await cluster.each(({ written }) => written, on)).toEqual(
      alike(live, [kubeletCA, '/etc/machine-config-daemon/trust.json']),
    )
    expect(await cluster.each(({ actions }) => actions, on)).toEqual(alike(live, []))
    expect(cluster.history).toMatchObject({ rendered: [], pulses: [] })
    expect(cluster.history.generations).toHaveLength(1)
    expect(cluster.disruptions()).toEqual([])
    expect(await cluster.each((node) => node.annotation('desiredConfig'))).toEqual(before)

    expect(await late.read(kubeletCA)).toBe(old)
    await late.powerOn()
    await has(kubeletCA, next)
    await cluster.calm()
    const reads = late.line
      .requests()
      .filter((request) => request.startsWith('GET controllerconfigs'))
    expect(reads).toEqual(['GET controllerconfigs/machine-config-controller'])
    expect(late.written.filter((path) => path === kubeletCA)).toEqual([kubeletCA])
    expect(late.actions.filter(isNoBoot)).toEqual([])
    const reported = await cluster.each((node) => node.reportedItem('kubelet-client-ca'))
    expect(Object.values(reported).map((item) => item?.state)).toEqual(names.map(() => 'Current'))
    expect(new Set(Object.values(reported).map((item) => item?.actualDigest)).size).toBe(1)
    expect(reported['worker-1']?.certificates?.map(({ subject }) => subject)).toEqual([
      'CN=kubelet-signer@2',
      'CN=kubelet-signer@1',
    ])
    await cluster.pause('worker', false)
  })

  it('other changes of the ControllerConfig cause no requests of nodes', async () => {
    const { cluster } = story
    await cluster.begin()
    const key = { name: 'machine-config-controller' }
    const { metadata, status } = await cluster.controllerConfig()
    expect(status?.observedGeneration).toBe(metadata.generation)
    expect(templates(status)).toEqual({ Running: 'False', Completed: 'True', Failing: 'False' })
    for (const value of ['1', '2', '3']) {
      const noise = { metadata: { labels: { noise: value }, annotations: { noise: value } } }
      await cluster.client.patch(controllerConfigs, key, mergePatch(noise))
    }
    await cluster.calm()
    const after = await cluster.controllerConfig()
    expect(after.status).toEqual(status)
    const condition = {
      type: 'Noise',
      status: 'True',
      reason: 'Noise',
      message: 'noise',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const
    const noise = { status: { conditions: [...(status?.conditions ?? []), condition] } }
    await cluster.client.patch(controllerConfigs, key, mergePatch(noise), { subresource: 'status' })
    await cluster.calm()
    expect(await cluster.each(({ line }) => line.requests())).toEqual(alike(names, []))
    expect(await cluster.each(({ written }) => written)).toEqual(alike(names, []))
  })

  it('a new CA of the API server is delivered once it has settled; kubelets restart one after the other', async () => {
    const { cluster } = story
    await cluster.begin()
    const off = cluster.node('master-2')
    await off.powerOff()
    const on = cluster.nodes.filter((node) => node !== off)
    const first = await bundle('loadbalancer-serving-signer@1', 'loadbalancer-serving-signer@2')
    const last = await bundle('loadbalancer-serving-signer@1', 'loadbalancer-serving-signer@3')
    await operatorLoop.putInput(cluster.client, 'apiServer', first)
    const noted = await isNoted(undefined)
    await cluster.time.pass(30_000)
    await operatorLoop.putInput(cluster.client, 'apiServer', last)
    await isNoted(noted)
    await cluster.time.pass(45_000)
    expect(await apiServerCA()).toBe(story.apiCA)
    expect(cluster.history.pulses).toEqual([])
    await cluster.time.until('the CAs are delivered', async () => (await apiServerCA()) === last)
    await cluster.pulseBegins()
    await cluster.all(
      'both kubeconfigs have it',
      async (node) => (await node.apiServerCAs()).every((ca) => ca === last),
      on,
    )
    expect(await apiServerCA()).toBe(last)
    /** An earlier report was current, too. */
    const isInForce = async (node: TrustNode): Promise<boolean> => {
      const reported = await node.reportedItem('api-server-ca')
      const subjects = reported?.certificates?.map(({ subject }) => subject) ?? []
      return reported?.state === 'Current' && subjects.includes('CN=loadbalancer-serving-signer@3')
    }
    await cluster.all('their kubelets have taken it over', isInForce, on)
    await pulseIsOver()
    await cluster.calm()
    expect(cluster.history.pulses).toEqual(['true', 'false'])
    expect(cluster.history.rendered).toEqual([])

    // The pulse is over, and this node was off meanwhile.
    await off.powerOn()
    await cluster.all('it has caught up', isInForce)
    expect(await off.apiServerCAs()).toEqual([last, last])
    const restarts = await cluster.each(({ actions }) => actions.filter(isNoBoot))
    expect(restarts).toEqual(alike(names, ['restart kubelet.service']))
    expect(cluster.mostDown).toBe(1)
    const modes = await cluster.each(
      async (node) => await Promise.all(kubeconfigs.map((path) => node.mode(path))),
    )
    expect(modes).toEqual(alike(names, ['0600', '0600']))
  })

  it('the same CAs of the API server in another order cause no change', async () => {
    const { cluster } = story
    await cluster.begin()
    const turned = await bundle('loadbalancer-serving-signer@3', 'loadbalancer-serving-signer@1')
    await operatorLoop.putInput(cluster.client, 'apiServer', turned)
    await cluster.time.until('the CAs are delivered', async () => (await apiServerCA()) === turned)
    await cluster.time.pass(60_000)
    expect(cluster.history.pulses).toEqual([])
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
    expect(await cluster.each(({ written }) => written)).toEqual(alike(names, []))
    expect(await cluster.each(({ line }) => line.requests())).toEqual(alike(names, []))
  })

  it('registry CAs are added and removed, and other files stay', async () => {
    const { cluster } = story
    const [a, b, c] = [await authority('A'), await authority('B'), await authority('C')]
    const isMerged = (all: Record<string, string>): Promise<void> =>
      cluster.time.until(`the merged registries are ${Object.keys(all).join()}`, async () =>
        sameJson(await data(managed, 'merged-trusted-image-registry-ca'), all),
      )
    for (const node of cluster.nodes) await node.rewrite(`${certs}/admin.example/ca.crt`, () => c)
    await cluster.pause('worker', true)
    await cluster.begin()
    await operatorLoop.putInput(cluster.client, 'managed', a)
    await operatorLoop.putInput(cluster.client, 'ours', b)
    await cluster.say({ image: 'spec: { additionalTrustedCA: { name: registry-cas } }' })
    await has(`${certs}/registry.example:5000/ca.crt`, a)
    await has(`${certs}/quay.example/ca.crt`, b)
    await isMerged({
      'registry.example..5000': a,
      'quay.example': b,
    })

    const ours = { namespace: 'openshift-config', name: 'registry-cas' }
    await cluster.client.patch(
      configMaps,
      ours,
      mergePatch({ data: { 'registry.example..5000': c } }),
    )
    await has(`${certs}/registry.example:5000/ca.crt`, c)
    await cluster.say({ image: null })
    const holds = (...hosts: string[]): Promise<void> =>
      cluster.all(
        `there are ${hosts.join(', ')}`,
        async (node) => (await node.list(certs)).join() === hosts.join(),
      )
    await holds('admin.example', 'registry.example:5000')
    await has(`${certs}/registry.example:5000/ca.crt`, a)
    await isMerged({
      'registry.example..5000': a,
    })
    await operatorLoop.removeInput(cluster.client, 'managed')
    await holds('admin.example')
    await isMerged({})
    await has(`${certs}/admin.example/ca.crt`, c)
    await cluster.calm()
    // No file is removed temporarily.
    const gone = ['quay.example', 'registry.example:5000'].flatMap((host) => [
      `${certs}/${host}/ca.crt`,
      `${certs}/${host}`,
    ])
    expect(await cluster.each(({ removed }) => removed)).toEqual(alike(names, gone))
    expect(cluster.history).toMatchObject({ rendered: [], pulses: [] })
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
    await cluster.pause('worker', false)
  })

  it('an invalid source does not affect the others', async () => {
    const { cluster } = story
    await cluster.begin()
    const good = await cluster.node('worker-0').read(kubeletCA)
    await operatorLoop.putInput(cluster.client, 'kubelet', 'garbage')
    await operatorLoop.putInput(cluster.client, 'managed', await authority('B'))
    await has(`${certs}/registry.example:5000/ca.crt`, await authority('B'))
    await cluster.calm()
    expect(await cluster.each((node) => node.read(kubeletCA))).toEqual(alike(names, good))
    const writes = await cluster.each(({ written }) => written.filter((path) => path === kubeletCA))
    expect(writes).toEqual(alike(names, []))
    expect(operatorLoop.inputLines(await cluster.controllerConfig())).toContain(
      'kubelet-client-ca: True NotPEM',
    )
    await operatorLoop.putInput(cluster.client, 'kubelet', good!)
    await cluster.time.until('the source is valid again', async () =>
      operatorLoop
        .inputLines(await cluster.controllerConfig())
        .includes('kubelet-client-ca: False AsExpected'),
    )
  })

  it('a CA of the administrator is delivered by MachineConfigs; a dead node delays that, but no other CA', async () => {
    const { cluster } = story
    await isUpdated('worker')
    const dead = cluster.node('worker-0')
    await dead.powerOff()
    await cluster.begin()
    const corporate = await authority('corporate')
    await operatorLoop.putInput(cluster.client, 'user', corporate)
    await has(anchor, corporate, cluster.some(masters))
    await isUpdated('master')
    await cluster.calm()
    const next = await bundle('kubelet-signer@3', 'kubelet-signer@2')
    await operatorLoop.putInput(cluster.client, 'kubelet', next)
    await has(kubeletCA, next, cluster.some([...masters, 'worker-1']))
    await cluster.calm()
    expect(await cluster.isUpdated('worker')).toBe(false)
    expect(await dead.read(kubeletCA)).not.toBe(next)
    expect(await dead.read(anchor)).toBeUndefined()

    await dead.powerOn()
    await has(kubeletCA, next)
    await has(anchor, corporate)
    await isUpdated('worker')
    await cluster.calm()
    expect(rendered()).toEqual(['master', 'worker'])
    expect(await cluster.each(({ actions }) => actions.filter(isNoBoot))).toEqual(
      alike(names, ['restart coreos-update-ca-trust.service', 'restart crio.service']),
    )
    expect(cluster.disruptions()).toEqual([])
  })

  it('all trusted certificates are listed in order, and the cloud CA is on every node', async () => {
    const { cluster } = story
    await cluster.begin()
    await operatorLoop.putInput(cluster.client, 'cloud', await authority('cloud'))
    await operatorLoop.putInput(cluster.client, 'ours', await authority('A'))
    await cluster.say({ image: 'spec: { additionalTrustedCA: { name: registry-cas } }' })
    await has(cloudCA, await authority('cloud'))
    await has(`${certs}/quay.example/ca.crt`, await authority('A'))
    await cluster.calm()
    const { status } = await cluster.controllerConfig()
    const listed = status?.controllerCertificates?.map(
      ({ bundleFile, subject }) => `${bundleFile} ${subject}`,
    )
    expect(listed).toEqual([
      'KubeAPIServerServingCAData CN=kubelet-signer@3',
      'KubeAPIServerServingCAData CN=kubelet-signer@2',
      'CloudProviderCAData CN=cloud',
      'RootCAData CN=root-ca',
      'AdditionalTrustBundle CN=corporate',
      'registry.example..5000 CN=B',
      'quay.example CN=A',
    ])
    expect(cluster.history.rendered).toEqual([])
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
  })
}

/** The conditions of the template controller, by their suffix. */
function templates(status: ControllerConfig['status']): Record<string, string> {
  const reported = (status?.conditions ?? []).flatMap(({ type, status: is }) => {
    const name = type.split('TemplateController')[1]
    return name === undefined ? [] : [[name, is] as const]
  })
  return Object.fromEntries(reported)
}
