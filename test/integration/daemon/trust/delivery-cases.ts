import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { modify } from '@machinist/kube/client/modify'
import { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { ownControllerConfigAnnotations } from '../../../../src/api/annotations.ts'
import { names } from '../../../../src/api/names.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { NodeTrust } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs, nodeTrusts } from '../../../../src/api/kinds/resources.ts'
import { specDigests } from '../../../../src/api/trust/digests.ts'
import type { DaemonOptions } from '../../../../src/daemon/daemon.ts'
import { clientOf } from '../cluster/api.ts'
import { Machine } from '../cluster/machine.ts'
import type { Asked } from '../cluster/recording-transport.ts'
import { RecordingTransport } from '../cluster/recording-transport.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { config, quietFile } from '../follow/facts.ts'
import { bundle } from './certificates.ts'
import type { Given } from './trial.ts'
import { specOf } from './trial.ts'

interface Server {
  readonly kubeconfig: string
  stop(): Promise<void>
}

const canary = 'TOPSECRET-canary-5c5c'
const pullSecret = JSON.stringify({ auths: { 'registry.example': { auth: canary } } })
const key = { name: names.controllerConfig }

/** Deliveries with a whole daemon and an API server: the result, the reports and the cost. */
export function deliveryCases(start: () => Promise<Server>): void {
  let server: Server
  let admin: Awaited<ReturnType<typeof clientOf>>
  const nodes: TrustNode[] = []
  beforeAll(async () => {
    server = await start()
    admin = await clientOf(server.kubeconfig)
  }, 120_000)
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.machine.stop()
  })
  afterAll(async () => {
    admin.close()
    await server.stop()
  })

  async function give(given: Given, delivery = 'direct'): Promise<void> {
    const spec = specOf(given)
    const { certificateDelivery, trustDigests } = ownControllerConfigAnnotations
    const annotations = {
      [certificateDelivery]: delivery,
      [trustDigests]: JSON.stringify(specDigests(spec)),
    }
    try {
      await modify(admin.client, controllerConfigs, key, (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations },
        spec,
      }))
    } catch (error) {
      if (!isNotFound(error)) throw error
      await admin.client.create(controllerConfigs, { metadata: { ...key, annotations }, spec })
    }
  }

  async function node(name: string, more: Partial<DaemonOptions> = {}): Promise<TrustNode> {
    const made = new TrustNode(name, new RecordingTransport(admin.transport), more)
    const first = config(`rendered-${name}`, { [quietFile]: 'x' })
    await made.machine.make(first)
    await made.machine.joined(first)
    nodes.push(made)
    return made
  }

  describe('a change of the kubelet CA', () => {
    it('costs one read, one file and one status write, no restart and no write of the Node; other changes cost nothing', async () => {
      await give({ kubelet: await bundle('a'), pullSecret })
      const own = await node('costs')
      own.start()
      await own.untilCurrent(await bundle('a'))
      await own.machine.untilDone('rendered-costs')
      own.forgetCosts()
      const change = async (kubelet: string): Promise<void> => {
        await own.machine.clock.advance(5000)
        await give({ kubelet, pullSecret })
        await own.untilCurrent(kubelet)
      }
      await change(await bundle('a', 'b'))
      for (let i = 0; i < 10; i++) await touch(i)
      // The watch delivers this change after all others.
      await change(await bundle('a', 'b', 'c'))
      const requests = [
        'GET /apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller',
        'PATCH /apis/machinist.dev/v1alpha1/nodetrusts/costs/status',
      ]
      expect(own.asked()).toEqual([...requests, ...requests])
      const changes = [
        'files.write /etc/kubernetes/kubelet-ca.crt',
        'files.write /etc/machine-config-daemon/trust.json',
      ]
      expect(own.changes()).toEqual([...changes, ...changes])
      const synced = /^Certificate was synced from controllerconfig resourceVersion \d+$/
      expect(own.logged().filter((message) => synced.test(message))).toHaveLength(2)
    })
  })

  /** Changes of a ControllerConfig that do not concern trust. */
  async function touch(i: number): Promise<void> {
    const annotations = { 'machinist.dev/templates.worker': `x${i}` }
    const spec = { images: { some: `image-${i}` } }
    const patch = mergePatch({ metadata: { annotations }, spec })
    await admin.client.patch(controllerConfigs, key, patch)
    const status = { observedGeneration: i }
    await admin.client.patch(controllerConfigs, key, mergePatch({ status }), {
      subresource: 'status',
    })
  }

  describe('a delivery', () => {
    it('is reported in a NodeTrust owned by the Node and in metrics, without secrets', async () => {
      const registries = { 'registry.example..5000': await bundle('r') }
      await give({ kubelet: await bundle('a'), registries, pullSecret })
      const own = await node('reported')
      own.start()
      await own.untilCurrent(await bundle('a'))
      const ledger = await own.ledger()
      const { uid } = (await own.machine.object()).metadata
      expect(ledger?.metadata.ownerReferences).toEqual([
        { apiVersion: 'v1', kind: 'Node', name: 'reported', uid },
      ])
      expect(ledger?.status?.items?.map(({ name, state }) => `${name} ${state}`)).toEqual([
        'kubelet-client-ca Current',
        'cloud-ca NotGiven',
        'registry-ca/registry.example:5000 Current',
        'registry-pull-secret Current',
        'api-server-ca NotGiven',
      ])
      expect(ledger?.status?.earliestNotAfter).toBe('2036-01-01T00:00:00Z')
      expect(ledger?.status?.conditions?.[0]).toMatchObject({
        type: 'Current',
        status: 'True',
        reason: 'AsWanted',
      })
      const metrics = own.machine.metrics.text()
      expect(metrics).toContain('machinist_trust_item_current{item="kubelet-client-ca"} 1')
      expect(metrics).toContain('machinist_trust_written_total{item="registry-pull-secret"} 1')
      expect(metrics).toContain(
        'machinist_trust_item_not_after_seconds{item="kubelet-client-ca"} 2082758400',
      )
      expect(await own.machine.read(nodePaths.registryPullSecret)).toContain(canary)
      const everything = [own.lines.join('\n'), metrics, JSON.stringify(own.transport.asked)]
      expect(everything.join('\n')).not.toContain(canary)
      expect(everything.join('\n')).not.toContain(Buffer.from(pullSecret).toString('base64'))
    })

    it('reaches a node during an update that waits for its drain, and a node that was off', async () => {
      await give({ kubelet: await bundle('a') })
      const own = await node('busy')
      own.start()
      await own.machine.untilDone('rendered-busy')
      await own.machine.desire(config('rendered-busy-2', { '/etc/other': 'x' }))
      await own.machine.untilAnnotation('desiredDrain', 'drain-rendered-busy-2')
      await give({ kubelet: await bundle('b') })
      await own.untilCurrent(await bundle('b'))
      await own.machine.stop()
      await give({ kubelet: await bundle('c') })
      own.start()
      await own.untilCurrent(await bundle('c'))
      expect(await own.machine.annotation('state')).toBe('Working')
    })
  })

  describe('a failed delivery', () => {
    it('is reported with path and cause, and does not make the node Degraded', async () => {
      await give({ kubelet: await bundle('a') })
      const own = await node('broken')
      own.fail = (name) => name === `files.write ${nodePaths.cloudCA}`
      own.start()
      await own.untilCurrent(await bundle('a'))
      await give({ kubelet: await bundle('b'), cloud: await bundle('c') })
      const cloud = async (): Promise<string> => {
        const items = (await own.ledger())?.status?.items ?? []
        const { state, message = '' } = items.find(({ name }) => name === 'cloud-ca') ?? {}
        return `${state}: ${message}`
      }
      await own.machine.until('the failure is reported', async () =>
        (await cloud()).startsWith('Failed'),
      )
      expect(await cloud()).toContain(`${nodePaths.cloudCA}: EROFS`)
      expect(await own.machine.read(nodePaths.kubeletCA)).toBe(await bundle('b'))
      expect((await own.ledger())?.status?.conditions?.[0]).toMatchObject({
        status: 'False',
        reason: 'Failed',
      })
      await own.machine.until('the event is emitted', async () =>
        (await own.machine.events()).some((event) =>
          event.startsWith('TrustDeliveryFailed: cloud-ca'),
        ),
      )
      await own.machine.untilDone('rendered-broken')
      own.fail = () => false
      await own.machine.until(
        'the CA is delivered',
        async () => (await cloud()) === 'Current: ',
        1000,
      )
    })

    it('of the report because NodeTrust was deleted is repaired in the next sweep', async () => {
      await give({ kubelet: await bundle('a') })
      const own = await node('swept')
      own.start()
      await own.untilCurrent(await bundle('a'))
      await admin.client.remove(nodeTrusts, { name: 'swept' })
      await own.machine.until(
        'NodeTrust exists again',
        async () => (await own.ledger()) !== undefined,
        600_000,
      )
      await own.untilCurrent(await bundle('a'))
      expect((await own.ledger())?.status?.conditions?.[0]?.status).toBe('True')
    })
  })
}

class TrustNode {
  readonly transport: RecordingTransport
  readonly machine: Machine
  readonly lines: string[] = []
  /** Operations of the disk that fail. */
  fail: (name: string) => boolean = () => false
  readonly #faults: Faults

  constructor(name: string, transport: RecordingTransport, more: Partial<DaemonOptions>) {
    this.transport = transport
    const client = new KubeClient({ transport, clock: systemClock })
    const log = createLogger({ clock: systemClock, write: (line) => void this.lines.push(line) })
    this.machine = new Machine(client, name, { log, ...more })
    this.#faults = new Faults()
  }

  start(): void {
    const broken = new Faults({
      at: 1,
      fail: 'EROFS',
      always: true,
      only: (name) => this.fail(name),
    })
    const counted = faultyHost(this.machine.host, this.#faults, ['files', 'units'])
    this.machine.start({ host: faultyHost(counted, broken, ['files']), trustJitterMs: 100 })
  }

  async ledger(): Promise<NodeTrust | undefined> {
    try {
      return await this.machine.client.get(nodeTrusts, { name: this.machine.name })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Waits until the file is on disk and reported as Current. */
  async untilCurrent(kubelet: string): Promise<void> {
    const digest = specDigests(specOf({ kubelet }))['kubelet-client-ca']
    await this.machine.until(`${this.machine.name} is current`, async () => {
      const items = (await this.ledger())?.status?.items ?? []
      return items.some(({ actualDigest, state }) => actualDigest === digest && state === 'Current')
    })
    if ((await this.machine.read(nodePaths.kubeletCA)) !== kubelet)
      throw new Error('the file on disk differs')
  }

  forgetCosts(): void {
    this.transport.asked.length = 0
    this.lines.length = 0
    this.#from = this.#faults.count
  }

  #from = 0

  /** Requests about trust, and writes of the Node, without the requests of the test itself. */
  asked(): string[] {
    const { name } = this.machine
    const isOwn = ({ method, path }: Asked): boolean =>
      method === 'GET' && (path.endsWith(`/nodetrusts/${name}`) || path.includes('/nodes/'))
    const isCounted = ({ path }: Asked): boolean =>
      /controllerconfigs|nodetrusts|\/nodes\//.test(path)
    return this.transport.asked
      .filter((asked) => isCounted(asked) && !isOwn(asked))
      .map(({ method, path }) => `${method} ${path}`)
  }

  /** Changes of the machine. */
  changes(): string[] {
    const done = this.#faults.operations.slice(this.#from)
    return done
      .filter((name) => !/^files\.(stat|read|list)/.test(name))
      .filter((name) => !/^units\.(enablement|isHealthy|lastStart)/.test(name))
  }

  logged(): string[] {
    return this.lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  }
}
