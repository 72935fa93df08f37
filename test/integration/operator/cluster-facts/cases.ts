import { afterEach, beforeAll, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { coreEvents } from '@machinist/kube/kinds/events'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../../src/api/kinds/resources.ts'
import { infrastructures, networks, proxies } from '../../../../src/api/openshift-config.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { makeNamespace } from '../../controllers/support/cluster-objects.ts'
import { installKind, RunningClusterFacts } from './running-loop.ts'

const namespace = 'openshift-machine-config-operator'
const facts = { namespace, name: 'machinist-cluster' }
const config = { name: 'machine-config-controller' }
const generatedBy = 'machineconfiguration.openshift.io/generated-by-version'
const canary = 'pa55-canary'

const described = {
  infrastructure:
    'spec: {platformSpec: {type: None}}\nstatus: {controlPlaneTopology: SingleReplica}\n',
  network: 'spec:\n  serviceNetwork: [10.1.0.0/16]\n',
  proxy: `status: {httpProxy: "http://me:${canary}@proxy:3128"}\n`,
  images: 'infraImageKey: registry.example/pause\n',
}

/** Runs on the embedded API server and on a real one. */
export function clusterFactsCases(client: KubeClient): void {
  let running: RunningClusterFacts | undefined

  beforeAll(async () => {
    await installDefinitions(client)
    for (const name of [namespace, 'openshift-config', 'openshift-config-managed']) {
      await makeNamespace(client, name)
    }
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
    await client.remove(controllerConfigs, config).catch(ignoreNotFound)
    await client.remove(configMaps, facts).catch(ignoreNotFound)
  })

  const describeCluster = (data: Record<string, string>): Promise<unknown> =>
    client.create(configMaps, { metadata: facts, data })
  const changeFacts = (data: Record<string, string | null>): Promise<unknown> =>
    client.patch(configMaps, facts, mergePatch({ data }))
  const setTrustDigests = (): Promise<unknown> =>
    client.patch(
      controllerConfigs,
      config,
      mergePatch({ metadata: { annotations: { 'machinist.dev/trust-digests': '{}' } } }),
    )
  const stored = async (): Promise<ControllerConfig | undefined> => {
    try {
      return await client.get(controllerConfigs, config)
    } catch (error) {
      ignoreNotFound(error)
      return undefined
    }
  }
  const becomes = async (
    what: string,
    isSo: (one: ControllerConfig) => boolean,
  ): Promise<ControllerConfig> => {
    let found: ControllerConfig | undefined
    await until(what, async () => {
      found = await stored()
      return found !== undefined && isSo(found)
    })
    return found!
  }
  const degraded = ({ status }: ControllerConfig, input: string): Condition | undefined =>
    status?.conditions?.find(({ type }) => type === `machinist.dev/InputDegraded.${input}`)

  it('writes the facts of the ConfigMap, and version annotations after the trust controller has written', async () => {
    await describeCluster(described)
    running = new RunningClusterFacts(client)
    const made = await becomes('the ControllerConfig exists', () => true)
    expect(made.metadata.annotations).toEqual({
      'machinist.dev/distribution': 'kubernetes',
      'machinist.dev/cluster-facts': 'machinist-cluster',
    })
    expect(made.spec).toEqual({
      additionalTrustBundle: null,
      baseOSContainerImage: '',
      cloudProviderCAData: null,
      cloudProviderConfig: '',
      clusterDNSIP: '10.1.0.10',
      dns: null,
      images: { infraImageKey: 'registry.example/pause' },
      infra: {
        apiVersion: 'config.openshift.io/v1',
        kind: 'Infrastructure',
        metadata: { name: 'cluster' },
        spec: { platformSpec: { type: 'None' } },
        status: { controlPlaneTopology: 'SingleReplica', platformStatus: { type: 'None' } },
      },
      ipFamilies: 'IPv4',
      kubeAPIServerServingCAData: null,
      network: null,
      platform: 'none',
      proxy: { httpProxy: `http://me:${canary}@proxy:3128` },
      releaseImage: '',
      rootCAData: null,
    })
    await setTrustDigests()
    const whole = await becomes('it has version annotations', ({ metadata }) =>
      Boolean(metadata.annotations?.[generatedBy]),
    )
    expect(whole.metadata.annotations).toMatchObject({
      [generatedBy]: '1.2.3',
      'machineconfiguration.openshift.io/release-image-version': '1.2.3',
    })

    // An irrelevant change causes no write; the next change proves that it was processed.
    await client.patch(
      configMaps,
      facts,
      mergePatch({ metadata: { annotations: { note: 'x' } }, data: { dns: ' ' } }),
    )
    await changeFacts({ proxy: null })
    const cleared = await becomes('the proxy is removed', ({ spec }) => spec.proxy === null)
    expect(cleared.metadata.generation).toBe(whole.metadata.generation! + 1)
    expect(degraded(cleared, 'proxy')).toBeUndefined()
  })

  it('keeps the last valid values, and reports problems without quoting values', async () => {
    await describeCluster(described)
    running = new RunningClusterFacts(client)
    await becomes('the ControllerConfig exists', () => true)
    await changeFacts({
      network: 'spec: {serviceNetwork: [10.2.0.0/16]}',
      proxy: `status:\n  httpProxy: "${canary}\n bad: [`,
      infrastructure: 'status: {platform: 7}',
    })
    const found = await becomes(
      'the proxy is degraded',
      (one) => degraded(one, 'proxy') !== undefined,
    )
    expect(found.spec).toMatchObject({
      clusterDNSIP: '10.2.0.10',
      proxy: { httpProxy: `http://me:${canary}@proxy:3128` },
      platform: 'none',
    })
    const where = `ConfigMap ${namespace}/machinist-cluster, key`
    expect(degraded(found, 'proxy')).toMatchObject({
      status: 'True',
      reason: 'Unreadable',
      message: expect.stringMatching(
        new RegExp(`^${where} proxy: not valid YAML: .+ at line \\d+, column \\d+$`),
      ) as string,
    })
    expect(degraded(found, 'infrastructure')).toMatchObject({
      status: 'True',
      reason: 'BadValue',
      message: `${where} infrastructure: status.platform must be a string`,
    })
    expect(running.metrics.text()).toContain('machinist_operator_input_degraded{input="proxy"} 1')

    await changeFacts({ infrastructure: described.infrastructure, proxy: null })
    const repaired = await becomes(
      'all inputs are valid',
      (one) => degraded(one, 'proxy')?.status === 'False',
    )
    expect(repaired.spec.proxy).toBeNull()
    expect(running.metrics.text()).toContain('machinist_operator_input_degraded{input="proxy"} 0')

    await running.events.flush()
    const { items } = await client.list(coreEvents)
    const inputEvents = items.filter(({ reason }) => reason?.startsWith('Input'))
    const events = inputEvents.map(
      ({ involvedObject, reason }) => `${involvedObject.kind} ${reason}`,
    )
    expect(JSON.stringify(items)).not.toContain(canary)
    expect(events.sort()).toEqual([
      'ConfigMap InputDegraded',
      'ConfigMap InputDegraded',
      'ControllerConfig InputRecovered',
      'ControllerConfig InputRecovered',
    ])
    expect(running.logged + running.metrics.text() + JSON.stringify(repaired.status)).not.toContain(
      canary,
    )
  })

  it('keeps the values of a deleted ConfigMap until it is created again', async () => {
    await describeCluster(described)
    running = new RunningClusterFacts(client)
    await becomes('the ControllerConfig exists', () => true)
    await client.remove(configMaps, facts)
    const found = await becomes(
      'the deletion is reported',
      (one) => degraded(one, 'network') !== undefined,
    )
    expect(degraded(found, 'network')).toMatchObject({
      reason: 'Missing',
      message: `ConfigMap ${namespace}/machinist-cluster was deleted: create it again, without keys to use the defaults`,
    })
    expect(found.spec.clusterDNSIP).toBe('10.1.0.10')
    await describeCluster({})
    const plain = await becomes('the defaults apply', ({ spec }) => spec.proxy === null)
    expect(plain.spec.images).toEqual({})
    expect(plain.metadata.annotations).toEqual({ 'machinist.dev/distribution': 'kubernetes' })
  })

  it("keeps the user's annotations unless the ConfigMap sets them", async () => {
    await describeCluster(described)
    running = new RunningClusterFacts(client)
    await becomes('the ControllerConfig exists', () => true)
    const delivery = 'machinist.dev/certificate-delivery'
    const annotations = { [delivery]: 'rendered' }
    await client.patch(controllerConfigs, config, mergePatch({ metadata: { annotations } }))
    await changeFacts({ network: 'spec: {serviceNetwork: [10.3.0.0/16]}' })
    const found = await becomes(
      'the network is changed',
      ({ spec }) => spec.clusterDNSIP === '10.3.0.10',
    )
    expect(found.metadata.annotations?.[delivery]).toBe('rendered')
    await changeFacts({ certificateDelivery: 'direct' })
    await becomes(
      'the annotation is changed',
      ({ metadata }) => metadata.annotations?.[delivery] === 'direct',
    )
    await client.remove(controllerConfigs, config)
    await becomes('it is created again', ({ spec }) => spec.clusterDNSIP === '10.3.0.10')
  })

  it('uses objects of the API if their kinds are served', async () => {
    for (const kind of [infrastructures, networks, proxies]) await installKind(client, kind)
    const metadata = { name: 'cluster' }
    await client.create(infrastructures, {
      metadata: { ...metadata, labels: { a: 'b' } },
      spec: {},
      status: { platformStatus: { type: 'BareMetal', baremetal: { ingressIPs: ['10.0.0.1'] } } },
    })
    await client.create(networks, { metadata, spec: { serviceNetwork: ['fd02::/112'] } })
    await client.create(proxies, { metadata, spec: {}, status: { noProxy: '.svc' } })
    await describeCluster(described)
    running = new RunningClusterFacts(client)
    const made = await becomes('the ControllerConfig exists', () => true)
    expect(made.spec).toMatchObject({
      platform: 'baremetal',
      clusterDNSIP: 'fd02::a',
      ipFamilies: 'IPv6',
      proxy: { noProxy: '.svc' },
      images: { infraImageKey: 'registry.example/pause' },
      infra: {
        metadata: { name: 'cluster' },
        status: { platformStatus: { baremetal: { ingressIPs: ['10.0.0.1'] } } },
      },
    })
    expect(made.spec.infra?.metadata).toEqual({ name: 'cluster' })

    await client.remove(networks, metadata)
    await client.remove(proxies, metadata)
    const found = await becomes('the missing Network is reported', (one) =>
      Boolean(degraded(one, 'network')),
    )
    expect(degraded(found, 'network')?.message).toBe('Network cluster is missing: create it')
    expect(found.spec.clusterDNSIP).toBe('fd02::a')
    await becomes('there is no proxy', ({ spec }) => spec.proxy === null)
  })
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error
}
