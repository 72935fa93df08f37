import { afterEach, beforeAll, expect, it } from 'vitest'
import { controllerConfigs, nodeTrusts } from '../../../../src/api/resources.ts'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { Condition, KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Informer } from '@machinist/kube/informer/informer'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { ledgerController, withoutCertificates } from '../../../../src/operator/ledger/ledger.ts'
import { until } from '@machinist/testing/until'
import { controllerConfig } from '../../controllers/support/cluster-objects.ts'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'

const config = { name: 'machine-config-controller' }
const delivered = 'machinist.dev/TrustDelivered'

/** A ledger at work on a cluster. */
class World {
  readonly metrics = new Metrics()
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []

  constructor(client: KubeClient) {
    const { metrics } = this
    const tools = { clock: systemClock, random: seededRandom(7), log: silentLogger, metrics }
    const follow = <T extends KubeObject>(
      options: Pick<InformerOptions<T>, 'resource' | 'source' | 'transform'>,
    ): Informer<T> => {
      const informer = new Informer<T>({ ...tools, ...options })
      this.#running.push(informer.start(this.#stop.signal))
      return informer
    }
    const caches = {
      nodes: follow({ resource: 'nodes', source: client.listWatch(nodes) }),
      nodeTrusts: follow({
        resource: 'nodetrusts',
        source: client.listWatch(nodeTrusts),
        transform: withoutCertificates,
      }),
      controllerConfigs: follow({
        resource: 'controllerconfigs',
        source: client.listWatch(controllerConfigs),
      }),
    }
    const controller = ledgerController({
      client,
      caches,
      clock: systemClock,
      metrics,
      batchMs: 20,
    })
    this.#running.push(new ControllerRunner(controller, tools).run(this.#stop.signal))
  }

  metric(line: string): string | undefined {
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(`${line} `))?.slice(line.length + 1)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }
}

/** What the ledger does to a cluster; the same on the embedded API server and on a real one. */
export function ledgerCases(client: KubeClient): void {
  let world: World | undefined

  beforeAll(async () => {
    await installDefinitions(client)
  })
  afterEach(async () => {
    await world?.stop()
    world = undefined
    await client.remove(controllerConfigs, config)
    for (const place of [nodes, nodeTrusts]) {
      for await (const { metadata } of client.listAll<KubeObject>(place)) {
        await client.remove<KubeObject>(place, { name: metadata.name })
      }
    }
  })

  const want = (digests: object): Promise<unknown> => {
    const annotations = { 'machinist.dev/trust-digests': JSON.stringify(digests) }
    return client.patch(controllerConfigs, config, mergePatch({ metadata: { annotations } }))
  }
  const joined = async (name: string, isReady = true): Promise<void> => {
    await client.create(nodes, { metadata: { name } })
    const status = {
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'Unknown',
          lastTransitionTime: '2026-11-16T14:02:00Z',
        },
      ],
    }
    await client.patch(nodes, { name }, mergePatch({ status }), { subresource: 'status' })
  }
  const tells = async (name: string, item: Partial<NodeTrustItem> = {}): Promise<void> => {
    const known = await client.list(nodeTrusts)
    if (!known.items.some(({ metadata }) => metadata.name === name)) {
      await client.create(nodeTrusts, { metadata: { name } })
    }
    const items = [{ name: 'kubelet-client-ca', state: 'Current', ...item }]
    const patch = mergePatch({ status: { items } })
    await client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
  }
  const said = async (): Promise<Condition | undefined> => {
    const { status } = await client.get(controllerConfigs, config)
    return status?.conditions?.find(({ type }) => type === delivered)
  }
  const says = (status: string, message: string): Promise<void> =>
    until(`it says ${status}: ${message}`, async () => {
      const condition = await said()
      return condition?.status === status && condition.message === message
    })

  it('says who lacks what the cluster wants now, and when nobody does', async () => {
    await controllerConfig(client)
    await want({ 'kubelet-client-ca': 'one' })
    await joined('worker-1')
    await joined('worker-2', false)
    const certificate = { fingerprint: 'f', subject: 'CN=x', notAfter: '2027-01-01T00:00:00Z' }
    const one = {
      wantedDigest: 'one',
      actualDigest: 'one',
      certificates: [certificate],
      earliestNotAfter: '2027-01-01T00:00:00Z',
    }
    await tells('worker-1', one)
    await tells('worker-2', one)
    world = new World(client)
    await says('True', 'every node holds what the cluster gives it to trust')
    expect(world.metric('machinist_trust_nodes{item="kubelet-client-ca",state="Current"}')).toBe(
      '2',
    )
    const end = 'machinist_trust_earliest_not_after_seconds{item="kubelet-client-ca"}'
    expect(world.metric(end)).toBe('1798761600')
    const missed = 'machinist_trust_runs_out_seconds{item="kubelet-client-ca"}'
    expect(world.metric(missed)).toBe('1798761600')

    await want({ 'kubelet-client-ca': 'two' })
    await tells('worker-1', { wantedDigest: 'two', actualDigest: 'two' })
    await says(
      'False',
      '1 of 2 nodes does not hold kubelet-client-ca yet: worker-2 (NotReady since 2026-11-16T14:02:00Z)',
    )
    const lagging = 'machinist_trust_lagging_nodes{item="kubelet-client-ca"}'
    expect(world.metric(lagging)).toBe('1')
    const { status } = await client.get(controllerConfigs, config)
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'TemplateControllerRunning',
      'TemplateControllerCompleted',
      'TemplateControllerFailing',
      delivered,
    ])

    await tells('worker-2', { wantedDigest: 'two', actualDigest: 'two' })
    await says('True', 'every node holds what the cluster gives it to trust')
    expect(world.metric(lagging)).toBe('0')
  })

  it('counts a node that has told nothing about it, and knows after a restart since when', async () => {
    await controllerConfig(client)
    await want({ 'kubelet-client-ca': 'one' })
    await joined('worker-1')
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const before = { type: delivered, status: 'False', reason: 'NodesLag', lastTransitionTime }
    const patch = mergePatch({ status: { conditions: [before] } })
    await client.patch(controllerConfigs, config, patch, { subresource: 'status' })
    await tells('worker-2', { wantedDigest: 'one', actualDigest: 'one' })
    world = new World(client)
    // The node is younger than the trouble.
    const { metadata } = await client.get(nodes, { name: 'worker-1' })
    await says(
      'False',
      `1 of 1 nodes does not hold kubelet-client-ca yet: worker-1 (has told nothing about it, since ${metadata.creationTimestamp})`,
    )
    expect((await said())?.lastTransitionTime).toBe(lastTransitionTime)
    await joined('worker-2')
    await until(
      'the second one counts',
      async () => (await said())?.message?.startsWith('1 of 2') === true,
    )
    await client.remove(nodes, { name: 'worker-1' })
    await says('True', 'every node holds what the cluster gives it to trust')
  })

  it('says it again when somebody has taken it away', async () => {
    await controllerConfig(client)
    await want({})
    world = new World(client)
    await says('True', 'every node holds what the cluster gives it to trust')
    const patch = mergePatch({ status: { conditions: [] } })
    await client.patch(controllerConfigs, config, patch, { subresource: 'status' })
    await until('it says so again', async () => (await said()) !== undefined)
    expect(await said()).toMatchObject({ status: 'True', reason: 'Delivered' })
  })

  it('writes nothing when there is no news', async () => {
    await controllerConfig(client)
    world = new World(client)
    await says('Unknown', 'the ControllerConfig does not say what nodes shall hold')
    await want({})
    await says('True', 'every node holds what the cluster gives it to trust')
    const { metadata } = await client.get(controllerConfigs, config)
    await joined('worker-1')
    await tells('worker-1', { state: 'NotGiven' })
    const counted = 'machinist_trust_nodes{item="kubelet-client-ca",state="NotGiven"}'
    await until('it has seen them', () => world?.metric(counted) === '1')
    const { metadata: now } = await client.get(controllerConfigs, config)
    expect(now.resourceVersion).toBe(metadata.resourceVersion)
  })
}
