import { afterEach, beforeAll, expect, it } from 'vitest'
import type { ControllerConfig } from '../../../../src/api/resources.ts'
import { controllerConfigs } from '../../../../src/api/resources.ts'
import { infrastructures, networks, proxies } from '../../../../src/api/openshift-config.ts'
import type { Condition } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import { coreEvents } from '@machinist/kube/kinds/events'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { makeNamespace } from '../../controllers/support/cluster-objects.ts'
import { installKind, World } from './world.ts'

const namespace = 'openshift-machine-config-operator'
const facts = { namespace, name: 'machinist-cluster' }
const config = { name: 'machine-config-controller' }
const madeBy = 'machineconfiguration.openshift.io/generated-by-version'
const canary = 'pa55-canary'

const described = {
  infrastructure:
    'spec: {platformSpec: {type: None}}\nstatus: {controlPlaneTopology: SingleReplica}\n',
  network: 'spec:\n  serviceNetwork: [10.1.0.0/16]\n',
  proxy: `status: {httpProxy: "http://me:${canary}@proxy:3128"}\n`,
  images: 'infraImageKey: registry.example/pause\n',
}

/** What the facts loop does to a cluster; the same on the embedded API server and on a real one. */
export function factsCases(client: KubeClient): void {
  let world: World | undefined

  beforeAll(async () => {
    await installDefinitions(client)
    for (const name of [namespace, 'openshift-config', 'openshift-config-managed']) {
      await makeNamespace(client, name)
    }
  })
  afterEach(async () => {
    await world?.stop()
    world = undefined
    await client.remove(controllerConfigs, config).catch(unlessGone)
    await client.remove(configMaps, facts).catch(unlessGone)
  })

  const describeCluster = (data: Record<string, string>): Promise<unknown> =>
    client.create(configMaps, { metadata: facts, data })
  const say = (data: Record<string, string | null>): Promise<unknown> =>
    client.patch(configMaps, facts, mergePatch({ data }))
  const trusted = (): Promise<unknown> =>
    client.patch(
      controllerConfigs,
      config,
      mergePatch({ metadata: { annotations: { 'machinist.dev/trust-digests': '{}' } } }),
    )
  const stored = async (): Promise<ControllerConfig | undefined> => {
    try {
      return await client.get(controllerConfigs, config)
    } catch (error) {
      unlessGone(error)
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

  it('says what the ConfigMap says, and who made it once the trust loop has written, too', async () => {
    await describeCluster(described)
    world = new World(client)
    const made = await becomes('it is made', () => true)
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
    await trusted()
    const whole = await becomes('it says who made it', ({ metadata }) =>
      Boolean(metadata.annotations?.[madeBy]),
    )
    expect(whole.metadata.annotations).toMatchObject({
      [madeBy]: '1.2.3',
      'machineconfiguration.openshift.io/release-image-version': '1.2.3',
    })

    // What means nothing changes nothing; the next change shows that it was seen.
    await client.patch(
      configMaps,
      facts,
      mergePatch({ metadata: { annotations: { note: 'x' } }, data: { dns: ' ' } }),
    )
    await say({ proxy: null })
    const cleared = await becomes('the proxy is gone', ({ spec }) => spec.proxy === null)
    expect(cleared.metadata.generation).toBe(whole.metadata.generation! + 1)
    expect(degraded(cleared, 'proxy')).toBeUndefined()
  })

  it('keeps what was good last, and says what is wrong without quoting it', async () => {
    await describeCluster(described)
    world = new World(client)
    await becomes('it is made', () => true)
    await say({
      network: 'spec: {serviceNetwork: [10.2.0.0/16]}',
      proxy: `status:\n  httpProxy: "${canary}\n bad: [`,
      infrastructure: 'status: {platform: 7}',
    })
    const found = await becomes('the proxy is bad', (one) => degraded(one, 'proxy') !== undefined)
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
      message: `${where} infrastructure: status.platform must be text`,
    })
    expect(world.metrics.text()).toContain('machinist_operator_input_degraded{input="proxy"} 1')

    await say({ infrastructure: described.infrastructure, proxy: null })
    const mended = await becomes('all is good', (one) => degraded(one, 'proxy')?.status === 'False')
    expect(mended.spec.proxy).toBeNull()
    expect(world.metrics.text()).toContain('machinist_operator_input_degraded{input="proxy"} 0')

    await world.events.flush()
    const { items } = await client.list(coreEvents)
    const told = items.filter(({ reason }) => reason?.startsWith('Input'))
    const events = told.map(({ involvedObject, reason }) => `${involvedObject.kind} ${reason}`)
    expect(JSON.stringify(items)).not.toContain(canary)
    expect(events.sort()).toEqual([
      'ConfigMap InputDegraded',
      'ConfigMap InputDegraded',
      'ControllerConfig InputRecovered',
      'ControllerConfig InputRecovered',
    ])
    expect(world.logged + world.metrics.text() + JSON.stringify(mended.status)).not.toContain(
      canary,
    )
  })

  it('does not believe that the ConfigMap is gone until somebody says so', async () => {
    await describeCluster(described)
    world = new World(client)
    await becomes('it is made', () => true)
    await client.remove(configMaps, facts)
    const found = await becomes('it misses it', (one) => degraded(one, 'network') !== undefined)
    expect(degraded(found, 'network')).toMatchObject({
      reason: 'Missing',
      message: `ConfigMap ${namespace}/machinist-cluster is gone: make it again, without keys if its defaults shall hold`,
    })
    expect(found.spec.clusterDNSIP).toBe('10.1.0.10')
    await describeCluster({})
    const plain = await becomes('the defaults hold', ({ spec }) => spec.proxy === null)
    expect(plain.spec.images).toEqual({})
    expect(plain.metadata.annotations).toEqual({ 'machinist.dev/distribution': 'kubernetes' })
  })

  it('leaves to the user what only the user has said', async () => {
    await describeCluster(described)
    world = new World(client)
    await becomes('it is made', () => true)
    const delivery = 'machinist.dev/certificate-delivery'
    const annotations = { [delivery]: 'rendered' }
    await client.patch(controllerConfigs, config, mergePatch({ metadata: { annotations } }))
    await say({ network: 'spec: {serviceNetwork: [10.3.0.0/16]}' })
    const found = await becomes('it has seen it', ({ spec }) => spec.clusterDNSIP === '10.3.0.10')
    expect(found.metadata.annotations?.[delivery]).toBe('rendered')
    await say({ certificateDelivery: 'direct' })
    await becomes('it is told', ({ metadata }) => metadata.annotations?.[delivery] === 'direct')
    await client.remove(controllerConfigs, config)
    await becomes('it is made again', ({ spec }) => spec.clusterDNSIP === '10.3.0.10')
  })

  it('goes by objects of the API where their kinds are served', async () => {
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
    world = new World(client)
    const made = await becomes('it is made', () => true)
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
    const found = await becomes('a Network is missed', (one) => Boolean(degraded(one, 'network')))
    expect(degraded(found, 'network')?.message).toBe('Network cluster is gone: make it again')
    expect(found.spec.clusterDNSIP).toBe('fd02::a')
    await becomes('there is no proxy', ({ spec }) => spec.proxy === null)
  })
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
