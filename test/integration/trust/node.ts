import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { NodeTrustItem } from '../../../src/api/kinds/node-trust.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import { nodeTrusts } from '../../../src/api/kinds/resources.ts'
import type { PlannedNode } from '../../../src/devcluster/size/cluster-size.ts'
import { installMachine } from '../../../src/devcluster/nodes/ignition-stand-in.ts'
import { writeKubeconfigs } from '../../../src/devcluster/nodes/node-kubeconfigs.ts'
import { registerNode, reportHealth } from '../../../src/devcluster/nodes/node-object.ts'
import type { DaemonEnd } from '../../../src/daemon/daemon.ts'
import { runDaemon } from '../../../src/daemon/daemon.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { describeAction } from '../../../src/daemon/host/simulated/machine-action.ts'
import { makeDirectoriesAbove } from '../../../src/daemon/trust/items/trust-file.ts'
import { Faults, faultyHost } from '../../../src/daemon/host/faults.fixture.ts'
import type { Line } from './line.ts'
import { slowKubelet } from './slow-kubelet.ts'
import type { Time } from './time.ts'

export interface NodeOptions {
  readonly planned: PlannedNode
  /** The administrator's client, which also acts as kubelet. */
  readonly client: KubeClient
  /** The client of the daemon. */
  readonly line: Line
  /** The client for writes of the Node; the daemon's own by default. */
  readonly kubeletsLine?: Line
  readonly time: Time
  readonly log: Logger
  /** Called when the kubelet goes down, and when it is back. */
  readonly kubelet: (isDown: boolean) => void
}

/** A bootstrap token. */
export const tokenCanary = 'CANARY-BOOTSTRAP-TOKEN'

/** One node: a machine in memory, its Node and its daemon, with a record of requests and changes. */
export class TrustNode {
  readonly name: string
  readonly line: Line
  readonly #options: NodeOptions
  readonly #host: MemoryHost
  /** Injects no faults: it only counts. */
  readonly #operations = new Faults()
  #operationsBefore = 0
  #actionsBefore = 0
  #running: { readonly stop: AbortController; readonly end: Promise<DaemonEnd> } | undefined

  constructor(options: NodeOptions) {
    const { planned, line } = options
    this.#options = options
    this.name = planned.name
    this.line = line
    this.#host = new MemoryHost({ name: planned.name })
  }

  /** The first boot of a machine, which then joins. Its daemon is not started yet. */
  async join(config: MachineConfig, apiCA: string): Promise<void> {
    const { planned, client, time, log } = this.#options
    const { clock } = time
    const never = new AbortController().signal
    await installMachine({ machine: this.#host, clock, log }, async () => config, never)
    await writeKubeconfigs(this.#host.files, apiCA)
    await this.rewrite(nodePaths.bootstrapKubeconfig, (text) =>
      text.replace(/tokenFile: .*/, `token: ${tokenCanary}`),
    )
    await registerNode(client, planned)
    const bootId = await this.#host.power.bootId()
    await reportHealth(client, clock, planned, { ready: 'True', why: 'it is', bootId })
  }

  start(): void {
    const { planned, kubeletsLine, time, log, kubelet } = this.#options
    const own = (line: Line): KubeClient => new KubeClient({ transport: line, clock: systemClock })
    const stop = new AbortController()
    const counted = faultyHost(this.#host, this.#operations)
    const daemon = {
      node: this.name,
      client: own(this.line),
      ...(kubeletsLine && { nodeClient: own(kubeletsLine) }),
      host: { ...counted, units: slowKubelet(counted.units, time.clock, kubelet) },
      clock: time.clock,
      random: seededRandom(planned.number),
      log: log.with({ node: this.name }),
      metrics: new Metrics(),
    }
    this.#running = { stop, end: runDaemon(daemon, stop.signal) }
    void this.#running.end.then((end) => (end === 'rebooting' ? this.powerOn() : undefined))
  }

  /** Boots again with the same disk. */
  async powerOn(): Promise<void> {
    await this.#host.boot()
    this.start()
  }

  async powerOff(): Promise<void> {
    const { stop, end } = this.#running ?? {}
    this.#running = undefined
    if (!stop) return
    let isOver = false
    void end?.then(() => (isOver = true))
    stop.abort()
    await this.#options.time.until(`${this.name} has stopped`, () => isOver)
  }

  /** Forgets the recorded requests and changes. */
  forget(): void {
    this.line.forget()
    this.#operationsBefore = this.#operations.count
    this.#actionsBefore = this.#host.actions.length
  }

  /** The written paths, in order. */
  get written(): string[] {
    return this.#paths(/^files\.(?:write|link|move|append) (.*)$/)
  }

  get removed(): string[] {
    return this.#paths(/^files\.(?:remove|removeDirectory) (.*)$/)
  }

  #paths(operation: RegExp): string[] {
    return this.#operations.operations
      .slice(this.#operationsBefore)
      .flatMap((each) => operation.exec(each)?.[1] ?? [])
  }

  /** `restart kubelet.service`, `reboot: why`. */
  get actions(): string[] {
    return this.#host.actions.slice(this.#actionsBefore).map(describeAction)
  }

  async read(path: string): Promise<string | undefined> {
    if ((await this.#host.files.stat(path))?.type !== 'file') return undefined
    return Buffer.from(await this.#host.files.read(path)).toString()
  }

  /** `0644`; undefined if there is no file. */
  async mode(path: string): Promise<string | undefined> {
    const found = await this.#host.files.stat(path)
    return found?.type === 'file' ? `0${found.mode.toString(8)}` : undefined
  }

  list(path: string): Promise<string[]> {
    return this.#host.files.list(path)
  }

  /** A write by another process. */
  async rewrite(path: string, change: (text: string) => string): Promise<void> {
    const { files } = this.#host
    const text = change((await this.read(path)) ?? '')
    await makeDirectoriesAbove(files, path)
    await files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
  }

  /** The CAs of both kubeconfigs. */
  async apiServerCAs(): Promise<(string | undefined)[]> {
    const paths = [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]
    return await Promise.all(
      paths.map(async (path) => {
        const data = /certificate-authority-data: (\S+)/.exec((await this.read(path)) ?? '')?.[1]
        return data && Buffer.from(data, 'base64').toString()
      }),
    )
  }

  async annotation(name: string): Promise<string | undefined> {
    const { metadata } = await this.#options.client.get(nodes, { name: this.name })
    return metadata.annotations?.[`machineconfiguration.openshift.io/${name}`]
  }

  /** The reported state of a trust item. */
  async reportedItem(item: string): Promise<NodeTrustItem | undefined> {
    const { status } = await this.#options.client.get(nodeTrusts, { name: this.name })
    return status?.items?.find(({ name }) => name === item)
  }
}
