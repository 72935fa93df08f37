import { nodePaths } from '../../../src/api/node-paths.ts'
import type { NodeTrustItem } from '../../../src/api/kinds/node-trust.ts'
import type { MachineConfig } from '../../../src/api/resources.ts'
import { nodeTrusts } from '../../../src/api/resources.ts'
import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { PlannedNode } from '../../../src/devcluster/cluster-size.ts'
import { installMachine } from '../../../src/devcluster/nodes/ignition-stand-in.ts'
import { giveKubeconfigs } from '../../../src/devcluster/nodes/node-kubeconfigs.ts'
import { registerNode, tellHealth } from '../../../src/devcluster/nodes/node-object.ts'
import type { DaemonEnd } from '../../../src/daemon/daemon.ts'
import { runDaemon } from '../../../src/daemon/daemon.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { inWords } from '../../../src/daemon/host/simulated/machine-action.ts'
import { makeDirectoriesAbove } from '../../../src/daemon/trust/trust-file.ts'
import { KubeClient } from '@machinist/kube/client'
import { nodes } from '@machinist/kube/kinds/core'
import { Faults, faultyHost } from '../../../src/daemon/host/faults.fixture.ts'
import type { Line } from './line.ts'
import { slowKubelet } from './slow-kubelet.ts'
import type { Time } from './time.ts'

export interface NodeOptions {
  readonly planned: PlannedNode
  /** Of the administrator, who looks and does what kubelets do. */
  readonly client: KubeClient
  /** Of the daemon. */
  readonly line: Line
  /** With which the daemon writes its Node; its own unless given. */
  readonly kubeletsLine?: Line
  readonly time: Time
  readonly log: Logger
  /** Hears when the kubelet goes down, and when it is back. */
  readonly kubelet: (isDown: boolean) => void
}

/** A token as kubelets have one before they have a certificate. */
export const tokenCanary = 'CANARY-BOOTSTRAP-TOKEN'

/** One node: a machine in memory, its Node and its daemon, with everything that it asks the API server and does to itself. */
export class TrustNode {
  readonly name: string
  readonly line: Line
  readonly #options: NodeOptions
  readonly #host: MemoryHost
  /** Nothing goes wrong: it only counts. */
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

  /** The first boot of a machine, which then joins. Its daemon does not run yet. */
  async join(config: MachineConfig, apiCA: string): Promise<void> {
    const { planned, client, time, log } = this.#options
    const { clock } = time
    const never = new AbortController().signal
    await installMachine({ machine: this.#host, clock, log }, async () => config, never)
    await giveKubeconfigs(this.#host.files, apiCA)
    await this.rewrite(nodePaths.bootstrapKubeconfig, (text) =>
      text.replace(/tokenFile: .*/, `token: ${tokenCanary}`),
    )
    await registerNode(client, planned)
    const bootId = await this.#host.power.bootId()
    await tellHealth(client, clock, planned, { ready: 'True', why: 'it is', bootId })
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

  /** Comes back as it went, with another boot. */
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

  /** What happened before is of no interest any more. */
  forget(): void {
    this.line.forget()
    this.#operationsBefore = this.#operations.count
    this.#actionsBefore = this.#host.actions.length
  }

  /** Paths that were written, in order. */
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
    return this.#host.actions.slice(this.#actionsBefore).map(inWords)
  }

  async read(path: string): Promise<string | undefined> {
    if ((await this.#host.files.look(path))?.type !== 'file') return undefined
    return Buffer.from(await this.#host.files.read(path)).toString()
  }

  /** `0644`; nothing where there is no file. */
  async mode(path: string): Promise<string | undefined> {
    const found = await this.#host.files.look(path)
    return found?.type === 'file' ? `0${found.mode.toString(8)}` : undefined
  }

  list(path: string): Promise<string[]> {
    return this.#host.files.list(path)
  }

  /** Somebody else than the daemon does this. */
  async rewrite(path: string, change: (text: string) => string): Promise<void> {
    const { files } = this.#host
    const text = change((await this.read(path)) ?? '')
    await makeDirectoriesAbove(files, path)
    await files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
  }

  /** CAs in both kubeconfigs. */
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

  /** What the node tells about something that it trusts. */
  async told(item: string): Promise<NodeTrustItem | undefined> {
    const { status } = await this.#options.client.get(nodeTrusts, { name: this.name })
    return status?.items?.find(({ name }) => name === item)
  }
}
