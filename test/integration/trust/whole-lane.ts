import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { namespaces, nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type { Transport } from '@machinist/kube/transport/transport'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { today } from '@machinist/testing/certificates/certificates'
import { until } from '@machinist/testing/until'
import { nodeAnnotations } from '../../../src/api/annotations.ts'
import { nodeRoleLabel } from '../../../src/api/labels.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import { machineConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { loadTemplates } from '../../../src/process/templates.ts'
import { runControllers } from '../../../src/controllers/run-controllers.ts'
import type { DaemonOptions } from '../../../src/daemon/daemon.ts'
import { runDaemon } from '../../../src/daemon/daemon.ts'
import type { Host } from '../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { makeDirectoriesAbove } from '../../../src/daemon/trust/items/trust-file.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { runSigner } from '../../../src/signer/run-signer.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { installOpenShift, makeNamespaces } from '../operator/trust/running-loop.ts'

const version = '1.2.3'
/** Less than the timeout of a test, so that the failure names the condition. */
const timeoutMs = 45_000
const stepsPerPoll = 4
const maker = { version, build: version }

export interface LaneOptions {
  /** Whether OpenShift's configuration objects are served. */
  readonly openShift?: boolean
  /** Wraps the transport of a component (`operator`, `controllers`, `node <name>`). */
  readonly between?: (who: string, transport: Transport) => Transport
  /** Virtual time per poll. */
  readonly stepMs?: number
  /** The start of virtual time. */
  readonly startsAt?: number
}

/**
 * A whole cluster in one process: the embedded API server, operator, controllers, and daemons on machines in memory or in
 * directories. All of them share one virtual clock, which advances during `until`.
 */
export class WholeLane implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly server: RunningServer
  /** The client of the administrator. */
  readonly client: KubeClient
  /** All log lines of all components, at debug level. */
  readonly lines: string[] = []
  /** By component. */
  readonly metrics = new Map<string, Metrics>()
  readonly nodes: LaneNode[] = []
  readonly #options: LaneOptions
  readonly #parts: Part[] = []
  readonly #transports: Transport[] = []

  static async open(options: LaneOptions = {}): Promise<WholeLane> {
    const server = await startServer()
    await installDefinitions(server.client)
    await makeNamespaces(server.client)
    if (options.openShift) await installOpenShift(server.client)
    const lane = new WholeLane(server, options)
    await lane.make(namespaces, { metadata: { name: 'openshift-machine-api' } })
    return lane
  }

  private constructor(server: RunningServer, options: LaneOptions) {
    this.clock = new VirtualClock(options.startsAt ?? today)
    this.server = server
    this.client = server.client
    this.#options = options
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    for (const transport of this.#transports) transport.close()
    await this.server[Symbol.asyncDispose]()
  }

  /** Stops all components. */
  async stop(): Promise<void> {
    for (const part of this.#parts) await part.stop()
  }

  operate(): Part {
    const tools = this.toolsOf('operator')
    return this.part('operator', (signal) => runOperator({ ...tools, version }, signal))
  }

  /** Starts a signer, which stops without grace. */
  sign(): Part {
    const tools = this.toolsOf('signer')
    return this.part('signer', (signal) => runSigner({ ...tools, stopGraceMs: 0 }, signal))
  }

  /** Starts the controllers with the built-in templates. */
  async control(): Promise<Part> {
    const tools = this.toolsOf('controllers')
    const templates = await loadTemplates()
    const hurry = { renderWindowMs: 0, rolloutBatchMs: 0 }
    return this.part('controllers', (signal) =>
      runControllers({ ...tools, ...hurry, maker, templates }, signal),
    )
  }

  /** A machine that has joined with an empty config. Its daemon starts when it is switched on. */
  async join(
    name: string,
    { role = 'worker', host = new MemoryHost({ name }) }: { role?: string; host?: LaneHost } = {},
  ): Promise<LaneNode> {
    await this.make(machineConfigs, firstConfig)
    await this.client.create(nodes, {
      metadata: {
        name,
        labels: { 'kubernetes.io/os': 'linux', [nodeRoleLabel(role)]: '' },
        annotations: {
          [nodeAnnotations.currentConfig]: firstConfig.metadata.name,
          [nodeAnnotations.desiredConfig]: firstConfig.metadata.name,
          [nodeAnnotations.state]: 'Done',
        },
      },
    })
    const node = new LaneNode(this, name, host)
    await node.put(nodePaths.currentConfig, JSON.stringify(firstConfig))
    await node.isReady(true)
    this.nodes.push(node)
    return node
  }

  /** Runs a component until it is stopped. */
  part(who: string, run: (signal: AbortSignal) => Promise<unknown>): Part {
    const stop = new AbortController()
    let hasEnded = false
    const ended = run(stop.signal).finally(() => (hasEnded = true))
    // `stop` rejects with the error that ended it.
    ended.catch(() => {})
    const part = {
      stop: async () => {
        stop.abort()
        await this.until(`${who} has stopped`, () => hasEnded)
        await ended
      },
    }
    this.#parts.push(part)
    return part
  }

  toolsOf(who: string): Pick<DaemonOptions, 'client' | 'clock' | 'random' | 'log' | 'metrics'> {
    const { clock } = this
    const metrics = this.metrics.get(who) ?? new Metrics()
    this.metrics.set(who, metrics)
    const log = this.logOf(who)
    return { client: this.connect(who, log), clock, random: seededRandom(7), log, metrics }
  }

  logOf(who: string): Logger {
    const write = (line: string): void => void this.lines.push(line)
    return createLogger({ clock: this.clock, write, level: 'debug' }, { who })
  }

  /** The transport uses real time; the client uses virtual time. */
  connect(who: string, logger: Logger): KubeClient {
    const headers = { authorization: 'Bearer administrators-token' }
    const connection = fixedConnection({ server: this.server.url, tls: {}, headers })
    const plain = new HttpTransport({ connection, clock: systemClock })
    const transport = this.#options.between?.(who, plain) ?? plain
    this.#transports.push(transport)
    return new KubeClient({ transport, clock: this.clock, logger })
  }

  /** Waits while virtual time passes. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const { stepMs = 50 } = this.#options
    const poll = async (): Promise<boolean> => {
      if (await holds()) return true
      // Polling all the time would slow down the components.
      for (let step = 0; step < stepsPerPoll; step++) {
        await this.clock.advance(stepMs)
        await pause(2)
      }
      return false
    }
    return until(what, poll, timeoutMs)
  }

  /** Waits until every running node has reported the desired digests. */
  allCurrent(): Promise<void> {
    return this.until('all nodes are current', async () => {
      const { items } = await this.client.list(nodeTrusts, {})
      const isCurrent = (node: LaneNode): boolean =>
        items.some(
          ({ metadata, status }) =>
            metadata.name === node.name &&
            status?.conditions?.some((each) => each.type === 'Current' && each.status === 'True'),
        )
      return this.nodes.filter((node) => node.isOn).every(isCurrent)
    })
  }

  /** Creates an object unless it exists. */
  async make<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void> {
    await this.client.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }

  async find<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    return this.client.get(resource, key).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  }
}

export interface Part {
  stop(): Promise<void>
}

/** A host that can be booted after a reboot. */
export type LaneHost = Host & { boot(): Promise<void> }

/** The first config of every machine. */
const firstConfig: MachineConfig = {
  metadata: { name: 'first-config' },
  spec: { config: { ignition: { version: '3.4.0' } } },
}

/** One node: its machine, and a daemon that runs while the machine is on. */
export class LaneNode {
  readonly name: string
  readonly host: LaneHost
  readonly #lane: WholeLane
  #daemon: Part | undefined

  constructor(lane: WholeLane, name: string, host: LaneHost) {
    this.#lane = lane
    this.name = name
    this.host = host
  }

  get isOn(): boolean {
    return this.#daemon !== undefined
  }

  /** Runs one daemon after the other, with a boot in between. */
  on(options: Partial<DaemonOptions> = {}): this {
    const who = `node ${this.name}`
    const tools = this.#lane.toolsOf(who)
    const { host } = this
    this.#daemon = this.#lane.part(who, async (signal) => {
      while (!signal.aborted) {
        const usual = { node: this.name, host, trustJitterMs: 0 }
        const end = await runDaemon({ ...tools, ...usual, ...options }, signal)
        if (end === 'rebooting') await host.boot()
      }
    })
    return this
  }

  async off(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    await daemon?.stop()
  }

  async isReady(ready: boolean): Promise<void> {
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }]
    const patch = mergePatch({ status: { conditions } })
    await this.#lane.client.patch(nodes, { name: this.name }, patch, { subresource: 'status' })
  }

  async put(path: string, text: string, mode = 0o644): Promise<void> {
    await makeDirectoriesAbove(this.host.files, path)
    await this.host.files.write(path, { content: Buffer.from(text), mode, uid: 0, gid: 0 })
  }

  /** The content of a file; undefined if there is none. */
  async read(path: string): Promise<string | undefined> {
    if (!(await this.host.files.stat(path))) return undefined
    return Buffer.from(await this.host.files.read(path)).toString()
  }
}
