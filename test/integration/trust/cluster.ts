import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { Transport } from '@machinist/kube/transport/transport'
import type { KeyPair } from '@machinist/pki/issue'
import { configMaps as sources } from '../../../src/api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../src/api/trust/items.ts'
import { loadTemplates } from '../../../src/process/templates.ts'
import { parseSize, plannedNodes } from '../../../src/devcluster/size/cluster-size.ts'
import { createClusterObjects } from '../../../src/devcluster/installation/cluster-stand-in.ts'
import { completeInstallation } from '../../../src/devcluster/installation/trust-sources.ts'
import { runControllers } from '../../../src/controllers/run-controllers.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { runSigner } from '../../../src/signer/run-signer.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { putInput } from '../operator/trust/running-loop.ts'
import { Issued } from '../signer/issued.ts'
import { History } from './history.ts'
import { Line } from './line.ts'
import { TrustNode } from './node.ts'
import { Time } from './time.ts'

/** An API server, with a client for its administrator. */
export interface Reached {
  readonly transport: Transport
  /** The transport of each component: `operator`, `controllers`, `signer`, `daemon worker-0`, `kubelet worker-0`. The administrator's by default. */
  readonly as?: (who: string) => Transport
  stop(): Promise<void>
}

/** The input of an installer. */
export interface Given {
  /** The CA of the API server. */
  readonly authority: KeyPair
  /** The CAs for clients of kubelets. Without it, a signer creates and rotates them. */
  readonly kubeletCA?: string
  readonly delivery: CertificateDelivery
}

const version = '1.2.3'
/** Longer than any delay of a component. */
const calmMs = 20_000

/**
 * A whole cluster in one process: operator, controllers with Machinist's templates, three nodes of the control plane and two workers,
 * each with its own daemon. Only the API server and time come from outside.
 */
export class TrustCluster {
  readonly client: KubeClient
  readonly time = new Time()
  readonly history: History
  readonly metrics = new Metrics()
  /** The writes of the signer, if there is one. */
  readonly issued = new Issued(() => this.time.clock)
  /** `master-0` … `worker-1`. */
  readonly nodes: readonly TrustNode[]
  /** The log of all components. */
  logged = ''
  /** Maximum number of control plane kubelets that were down at the same time. */
  mostDown = 0
  readonly #down = new Set<string>()
  readonly #reached: Reached
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #lines: Line[] = []
  readonly #log

  static async start(reached: Reached, given: Given): Promise<TrustCluster> {
    const cluster = new TrustCluster(reached)
    await cluster.#install(given)
    return cluster
  }

  private constructor(reached: Reached) {
    this.#reached = reached
    const { time } = this
    this.client = new KubeClient({ transport: reached.transport, clock: systemClock })
    const write = (line: string): void => void (this.logged += line)
    this.#log = createLogger({ clock: time.clock, write, level: 'debug' })
    this.history = new History(this.client)
    this.nodes = plannedNodes(size).map(
      (planned) =>
        new TrustNode({
          planned,
          client: this.client,
          line: this.#line(`daemon ${planned.name}`),
          ...(reached.as && { kubeletsLine: this.#line(`kubelet ${planned.name}`) }),
          time,
          log: this.#log,
          kubelet: (isDown) => this.#kubelet(planned.name, isDown),
        }),
    )
  }

  async #install({ authority, kubeletCA, delivery }: Given): Promise<void> {
    const { client, time, metrics } = this
    const apiCA = authority.certificate
    await installDefinitions(client)
    const installer = { authority, hostnames: ['api.one.example.com', '10.0.0.1'], speed: 1 }
    await createClusterObjects({ client, clock: time.clock, delivery, ...installer }, size)
    const tools = { clock: time.clock, random: seededRandom(7), log: this.#log, metrics }
    const own = (line: Transport): KubeClient =>
      new KubeClient({ transport: line, clock: systemClock })
    const { signal } = this.#stop
    if (kubeletCA === undefined) {
      const line = this.issued.through(this.#line('signer'))
      this.#running.push(runSigner({ ...tools, client: own(line) }, signal))
      await time.until('CAs are published', () => arePublished(client))
    } else {
      await putInput(client, 'kubelet', kubeletCA)
      await putInput(client, 'apiServer', apiCA)
    }
    await completeInstallation(client)
    const maker = { version, build: version }
    const templates = await loadTemplates()
    this.#running.push(
      runOperator({ ...tools, client: own(this.#line('operator')), version }, signal),
      runControllers(
        { ...tools, client: own(this.#line('controllers')), maker, templates },
        signal,
      ),
    )
    await this.pulseBegins()
    const [master, worker] = [await this.#rendered('master'), await this.#rendered('worker')]
    for (const node of this.nodes) {
      await node.join(node.name.startsWith('master') ? master : worker, apiCA)
      node.forget()
      node.start()
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.powerOff()))
    this.#stop.abort()
    let isOver = false
    void Promise.all(this.#running).then(() => (isOver = true))
    await this.time.until('all components have stopped', () => isOver)
    await this.history.stop()
    await this.#reached.stop()
  }

  node(name: string): TrustNode {
    return this.nodes.find((node) => node.name === name)!
  }

  some(wanted: readonly string[]): TrustNode[] {
    return this.nodes.filter(({ name }) => wanted.includes(name))
  }

  /** Runs `work` for each of these nodes; the results by name. */
  async each<T>(
    ask: (node: TrustNode) => T | Promise<T>,
    nodes: readonly TrustNode[] = this.nodes,
  ): Promise<Record<string, T>> {
    const answers = nodes.map(async (node) => [node.name, await ask(node)] as const)
    return Object.fromEntries(await Promise.all(answers))
  }

  /** Waits until the condition holds for all of these nodes. */
  all(
    what: string,
    isSo: (node: TrustNode) => boolean | Promise<boolean>,
    nodes: readonly TrustNode[] = this.nodes,
  ): Promise<void> {
    return this.time.until(what, async () =>
      Object.values(await this.each(isSo, nodes)).every(Boolean),
    )
  }

  /** Waits until no component has sent a request or written a file for a while. */
  async calm(): Promise<void> {
    const requests = (): number => this.#lines.reduce((sum, { count }) => sum + count, 0)
    for (let before = -1; before !== requests();) {
      before = requests()
      await this.time.pass(calmMs)
      // Watch events in flight must arrive, too.
      await pause(60)
    }
  }

  /** Forgets all recorded requests, writes and events. */
  async begin(): Promise<void> {
    await this.calm()
    for (const node of this.nodes) node.forget()
    for (const line of this.#lines) line.forget()
    this.history.forget()
  }

  /** kubeconfig-data has changed. Time waits for the watch event: a pulse of a minute must not end before it is noticed. */
  pulseBegins(): Promise<void> {
    return this.time.meanwhile('ControllerConfig reports a rotation', () =>
      this.history.pulses.includes('true'),
    )
  }

  /** Nodes that were cordoned since then, and evicted pods. */
  disruptions(): string[] {
    return this.#lines.flatMap((line) => line.disruptions())
  }

  controllerConfig(): Promise<ControllerConfig> {
    return this.client.get(controllerConfigs, { name: 'machine-config-controller' })
  }

  pool(name: string): Promise<MachineConfigPool> {
    return this.client.get(machineConfigPools, { name })
  }

  async pause(name: string, paused: boolean): Promise<void> {
    await this.client.patch(machineConfigPools, { name }, mergePatch({ spec: { paused } }))
  }

  /** The cluster facts of a plain Kubernetes cluster, and its delivery. */
  async say(facts: Readonly<Record<string, string | null>>): Promise<void> {
    const key = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    await this.client.patch(configMaps, key, mergePatch({ data: facts }))
  }

  /** Whether all nodes of a pool are in the latest config. */
  async isUpdated(name: string): Promise<boolean> {
    const { spec, status } = await this.pool(name)
    return (
      status?.configuration?.name === spec.configuration?.name &&
      status?.conditions?.some(({ type, status: is }) => type === 'Updated' && is === 'True') ===
        true
    )
  }

  async #rendered(pool: string): Promise<MachineConfig> {
    let name: string | undefined
    await this.time.until(`pool ${pool} has a config`, async () => {
      const found = await this.pool(pool).catch(() => undefined)
      name = found?.spec.configuration?.name
      return name !== undefined
    })
    return await this.client.get(machineConfigs, { name: name! })
  }

  #kubelet(node: string, isDown: boolean): void {
    if (!node.startsWith('master')) return
    if (isDown) this.#down.add(node)
    else this.#down.delete(node)
    this.mostDown = Math.max(this.mostDown, this.#down.size)
  }

  #line(who: string): Line {
    const line = new Line(this.#reached.as?.(who) ?? this.#reached.transport, this.time)
    this.#lines.push(line)
    return line
  }
}

const size = parseSize('3,2')

async function arePublished(client: KubeClient): Promise<boolean> {
  const { kubeletClientCA, apiServerCA } = sources
  const found = [kubeletClientCA, apiServerCA].map((key) =>
    ignoreNotFound(client.get(configMaps, key)),
  )
  return (await Promise.all(found)).every((each) => each !== undefined)
}
