import { afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Informer } from '@machinist/kube/informer/informer'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { controllerConfigs, nodeTrusts } from '../../../../src/api/kinds/resources.ts'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import { withoutCertificates } from '../../../../src/operator/trust-delivery/caches.ts'
import { trustDeliveryController } from '../../../../src/operator/trust-delivery/trust-delivery.ts'
import { controllerConfig } from '../../controllers/support/cluster-objects.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'

const config = { name: 'machine-config-controller' }
const delivered = 'machinist.dev/TrustDelivered'

/** A running trust-delivery controller. */
class RunningTrustDelivery {
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
    const events = { normal: (): void => undefined, warning: (): void => undefined }
    const context = { ...tools, client, events }
    const controller = trustDeliveryController(context, caches, { batchMs: 20 })
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

/** Runs on the embedded API server and on a real one. */
export function trustDeliveryCases(client: KubeClient): void {
  let running: RunningTrustDelivery | undefined

  beforeAll(async () => {
    await installDefinitions(client)
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
    await client.remove(controllerConfigs, config)
    for (const resource of [nodes, nodeTrusts]) {
      for await (const { metadata } of client.listAll<KubeObject>(resource)) {
        await client.remove<KubeObject>(resource, { name: metadata.name })
      }
    }
  })

  const setDigests = (digests: object): Promise<unknown> => {
    const annotations = { 'machinist.dev/trust-digests': JSON.stringify(digests) }
    return client.patch(controllerConfigs, config, mergePatch({ metadata: { annotations } }))
  }
  const createNode = async (name: string, isReady = true): Promise<void> => {
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
  const report = async (name: string, item: Partial<NodeTrustItem> = {}): Promise<void> => {
    const known = await client.list(nodeTrusts)
    if (!known.items.some(({ metadata }) => metadata.name === name)) {
      await client.create(nodeTrusts, { metadata: { name } })
    }
    const items = [{ name: 'kubelet-client-ca', state: 'Current', ...item }]
    const patch = mergePatch({ status: { items } })
    await client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
  }
  const getCondition = async (): Promise<Condition | undefined> => {
    const { status } = await client.get(controllerConfigs, config)
    return status?.conditions?.find(({ type }) => type === delivered)
  }
  const expectCondition = (status: string, message: string): Promise<void> =>
    until(`the condition is ${status}: ${message}`, async () => {
      const condition = await getCondition()
      return condition?.status === status && condition.message === message
    })

  it('reports nodes that lag, and that no node lags', async () => {
    await controllerConfig(client)
    await setDigests({ 'kubelet-client-ca': 'one' })
    await createNode('worker-1')
    await createNode('worker-2', false)
    const certificate = { fingerprint: 'f', subject: 'CN=x', notAfter: '2027-01-01T00:00:00Z' }
    const one = {
      wantedDigest: 'one',
      actualDigest: 'one',
      certificates: [certificate],
      earliestNotAfter: '2027-01-01T00:00:00Z',
    }
    await report('worker-1', one)
    await report('worker-2', one)
    running = new RunningTrustDelivery(client)
    await expectCondition('True', 'every node has the desired version of every trust item')
    expect(running.metric('machinist_trust_nodes{item="kubelet-client-ca",state="Current"}')).toBe(
      '2',
    )
    const end = 'machinist_trust_earliest_not_after_seconds{item="kubelet-client-ca"}'
    expect(running.metric(end)).toBe('1798761600')
    const missed = 'machinist_trust_runs_out_seconds{item="kubelet-client-ca"}'
    expect(running.metric(missed)).toBe('1798761600')

    await setDigests({ 'kubelet-client-ca': 'two' })
    await report('worker-1', { wantedDigest: 'two', actualDigest: 'two' })
    await expectCondition(
      'False',
      '1 of 2 nodes does not have kubelet-client-ca yet: worker-2 (NotReady since 2026-11-16T14:02:00Z)',
    )
    const lagging = 'machinist_trust_lagging_nodes{item="kubelet-client-ca"}'
    expect(running.metric(lagging)).toBe('1')
    const { status } = await client.get(controllerConfigs, config)
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'TemplateControllerRunning',
      'TemplateControllerCompleted',
      'TemplateControllerFailing',
      delivered,
    ])

    await report('worker-2', { wantedDigest: 'two', actualDigest: 'two' })
    await expectCondition('True', 'every node has the desired version of every trust item')
    expect(running.metric(lagging)).toBe('0')
  })

  it('counts a node without a report, and restores the start of the lag after a restart', async () => {
    await controllerConfig(client)
    await setDigests({ 'kubelet-client-ca': 'one' })
    await createNode('worker-1')
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const before = { type: delivered, status: 'False', reason: 'NodesLag', lastTransitionTime }
    const patch = mergePatch({ status: { conditions: [before] } })
    await client.patch(controllerConfigs, config, patch, { subresource: 'status' })
    await report('worker-2', { wantedDigest: 'one', actualDigest: 'one' })
    running = new RunningTrustDelivery(client)
    // The node is younger than the condition.
    const { metadata } = await client.get(nodes, { name: 'worker-1' })
    await expectCondition(
      'False',
      `1 of 1 nodes does not have kubelet-client-ca yet: worker-1 (not reported, since ${metadata.creationTimestamp})`,
    )
    expect((await getCondition())?.lastTransitionTime).toBe(lastTransitionTime)
    await createNode('worker-2')
    await until(
      'the second one counts',
      async () => (await getCondition())?.message?.startsWith('1 of 2') === true,
    )
    await client.remove(nodes, { name: 'worker-1' })
    await expectCondition('True', 'every node has the desired version of every trust item')
  })

  it('restores a removed condition', async () => {
    await controllerConfig(client)
    await setDigests({})
    running = new RunningTrustDelivery(client)
    await expectCondition('True', 'every node has the desired version of every trust item')
    const patch = mergePatch({ status: { conditions: [] } })
    await client.patch(controllerConfigs, config, patch, { subresource: 'status' })
    await until('the condition is back', async () => (await getCondition()) !== undefined)
    expect(await getCondition()).toMatchObject({ status: 'True', reason: 'Delivered' })
  })

  it('writes nothing while the condition is unchanged', async () => {
    await controllerConfig(client)
    running = new RunningTrustDelivery(client)
    await expectCondition(
      'Unknown',
      'the ControllerConfig has no trust digests yet; if this persists, check the trust controller of the operator',
    )
    await setDigests({})
    await expectCondition('True', 'every node has the desired version of every trust item')
    const { metadata } = await client.get(controllerConfigs, config)
    await createNode('worker-1')
    await report('worker-1', { state: 'NotGiven' })
    const counted = 'machinist_trust_nodes{item="kubelet-client-ca",state="NotGiven"}'
    await until('the metric counts them', () => running?.metric(counted) === '1')
    const { metadata: now } = await client.get(controllerConfigs, config)
    expect(now.resourceVersion).toBe(metadata.resourceVersion)
  })
}
