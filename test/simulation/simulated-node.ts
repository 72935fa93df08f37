import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { messageOf } from '@machinist/core/errors'
import { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { nodePaths, unitPath } from '../../src/api/node-paths.ts'
import type { MachineConfig } from '../../src/api/kinds/resources.ts'
import { runDaemon } from '../../src/daemon/daemon.ts'
import type { Cluster } from './cluster.ts'
import { Link } from './link.ts'
import type { MachineWitness } from './machine.ts'
import { Machine } from './machine.ts'
import { Process } from './process.ts'
import type { FileState } from './settings.ts'
import { settingsIn, simUnit } from './settings.ts'
import { SilentMetrics } from './silent-metrics.ts'
import { timeText } from './api/memory-api.ts'

/** A node becomes Unknown after this time without a heartbeat of its kubelet. */
const lostAfterMs = 40_000

/** Observes a node. */
export interface NodeWitness {
  /** The state of a managed file after an operation of the daemon. */
  fileSeen(path: string, state: FileState | undefined): void
  /** The daemon requested a reboot. */
  rebootRequested(node: string): void
  /** The machine has booted with all its services. */
  booted?(): void
  /** The daemon restarted a service. */
  restarted?(unit: string): void
  /** Whether a service is healthy; the kubelet must be before its node becomes Ready. */
  isHealthy?(unit: string): boolean
}

export interface NodeOptions {
  /** The files that the witness observes; default: the files that configs manage. */
  readonly watched?: ReadonlySet<string>
  /** Changes the traffic between the daemon and the API. */
  readonly tamper?: (transport: Transport) => Transport
}

/** One node: a machine with a kubelet that reports heartbeats, and a daemon that is restarted whenever it ends. */
export class SimulatedNode {
  readonly name: string
  readonly machine: Machine
  readonly #cluster: Cluster
  readonly #random: Random
  #daemon: Process | undefined
  /** Powered, with a kubelet that runs. */
  #isUp = true
  #isForcedOff = false
  #boots = 0
  /** Steps until its daemon is killed. */
  #fuse: number | undefined
  readonly #witness: NodeWitness
  readonly #tamper: (transport: Transport) => Transport

  constructor(name: string, cluster: Cluster, witness: NodeWitness, options: NodeOptions = {}) {
    this.name = name
    this.#cluster = cluster
    this.#witness = witness
    this.#tamper = options.tamper ?? ((transport) => transport)
    this.#random = cluster.newRandom()
    const machineWitness: MachineWitness = {
      fileSeen: (path, state) => witness.fileSeen(path, state),
      goesDown: () => {
        witness.rebootRequested(name)
        this.#rebooting()
      },
      restarted: (unit) => witness.restarted?.(unit),
      isHealthy: (unit) => witness.isHealthy?.(unit) ?? true,
    }
    this.machine = new Machine(name, cluster.newRandom(), machineWitness, options.watched)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get daemon(): Process | undefined {
    return this.#daemon
  }

  /** Creates the node as an existing member that runs this config. */
  async join(config: MachineConfig, labels: Record<string, string>): Promise<void> {
    const { files, unit, kernelArguments } = settingsIn(config)
    for (const [path, { content, mode }] of files) this.machine.install(path, content, mode)
    if (unit !== undefined) {
      this.machine.plant(unitPath(simUnit), unit, 0o644)
      await this.machine.enableUnit()
    }
    if (kernelArguments) await this.machine.setKernelArguments(kernelArguments)
    this.machine.plant(nodePaths.currentConfig, JSON.stringify(config), 0o600)
    await this.machine.boot()
    this.#witness.booted?.()
    this.register(config.metadata.name, labels)
    this.startDaemon()
  }

  /** Its kubelet creates the Node, with the annotations of an existing member. */
  register(config: string, labels: Record<string, string>): void {
    this.#cluster.create('kubelet', nodes, {
      metadata: {
        name: this.name,
        labels,
        annotations: {
          [nodeAnnotations.currentConfig]: config,
          [nodeAnnotations.desiredConfig]: config,
          [nodeAnnotations.state]: 'Done',
        },
      },
      status: { conditions: [ready('True', this.#cluster.clock.now())] },
    })
  }

  startDaemon(): void {
    if (this.#daemon || !this.#isUp || this.#isForcedOff) return
    const { api, clock, network, trace } = this.#cluster
    const actor = `daemon/${this.name}`
    const process = new Process(actor, clock)
    this.#daemon = process
    const step = (): void => this.#step(process)
    const random = this.#random
    const link = new Link({ api, clock, network, process, actor, place: this.name, step })
    const options = {
      node: this.name,
      client: new KubeClient({ transport: this.#tamper(link), clock: process.clock, random }),
      host: this.machine.hostFor(process, step),
      clock: process.clock,
      random,
      log: trace.logger(process),
      metrics: new SilentMetrics(),
    }
    runDaemon(options, process.signal).then(
      () => this.#ended(process),
      (error: unknown) => {
        this.#cluster.violated('the daemon does not crash', `${this.name}: ${messageOf(error)}`)
      },
    )
  }

  /** Ends the simulation of this node. */
  end(): void {
    this.#daemon?.kill()
  }

  /** Kills the daemon (kill -9) after `steps` steps; it restarts after a while. */
  killSoon(steps: number): void {
    this.#fuse = steps
  }

  /** Cancels a pending kill. */
  spare(): void {
    this.#fuse = undefined
  }

  /** SIGTERM, as when its DaemonSet is updated. */
  restartDaemon(): void {
    this.#daemon?.stop()
  }

  /** Kills the daemon (kill -9) at once; it restarts after a while. */
  replaceDaemon(): void {
    if (!this.#daemon) return
    this.#kill()
    this.#startLater()
  }

  /** Cuts the power. */
  powerOff(): void {
    this.#isForcedOff = true
    this.#fall()
  }

  powerOn(): void {
    if (!this.#isForcedOff) return
    this.#isForcedOff = false
    this.#boot()
  }

  /** Updates the Ready condition after a delay; called whenever it may have changed. */
  heartbeat(): void {
    const { clock } = this.#cluster
    const isHealthy = this.#isHealthy()
    clock.after(isHealthy ? 3000 : lostAfterMs, () => {
      if (this.#isHealthy() === isHealthy) this.#reportReady(isHealthy)
    })
  }

  #isHealthy(): boolean {
    const isRunning = this.#witness.isHealthy?.('kubelet.service') ?? true
    return this.#isUp && isRunning && this.#cluster.network.reaches(this.name)
  }

  #reportReady(isHealthy: boolean): void {
    const { clock } = this.#cluster
    const status = isHealthy ? 'True' : 'Unknown'
    const node = this.#cluster.get(nodes, { name: this.name })
    if (!node || node.status?.conditions?.[0]?.status === status) return
    const conditions = [ready(status, clock.now())]
    this.#cluster.patch('kubelet', nodes, { name: this.name }, { status: { conditions } }, 'status')
  }

  #step(process: Process): void {
    if (this.#fuse === undefined || process !== this.#daemon) return
    this.#fuse -= 1
    if (this.#fuse > 0) return
    this.#fuse = undefined
    this.#kill()
    this.#startLater()
  }

  #kill(): void {
    const daemon = this.#daemon
    if (!daemon) return
    this.#cluster.trace.note(this.name, 'daemon is killed')
    this.#daemon = undefined
    daemon.kill()
  }

  #ended(daemon: Process): void {
    if (this.#daemon !== daemon) return
    this.#daemon = undefined
    this.#startLater()
  }

  #startLater(): void {
    this.#cluster.clock.after(between(this.#random, 1, 20) * 1000, () => this.startDaemon())
  }

  /** Reboots on request of the daemon, after a short delay. */
  #rebooting(): void {
    const { clock } = this.#cluster
    const boots = this.#boots
    clock.after(between(this.#random, 0, 5000), () => {
      if (this.#boots !== boots || !this.#isUp) return
      this.#fall()
      this.#boot()
    })
  }

  #fall(): void {
    this.#cluster.trace.note(this.name, 'goes down')
    this.#isUp = false
    this.#boots += 1
    this.#kill()
    this.heartbeat()
  }

  #boot(): void {
    const { clock } = this.#cluster
    const boots = this.#boots
    clock.after(between(this.#random, 20, 120) * 1000, () => {
      if (this.#boots !== boots || this.#isForcedOff || this.#isUp) return
      void this.#booted(boots)
    })
  }

  async #booted(boots: number): Promise<void> {
    await this.machine.boot()
    if (this.#boots !== boots) return
    this.#cluster.trace.note(this.name, 'is up')
    this.#isUp = true
    this.#witness.booted?.()
    this.heartbeat()
    this.#startLater()
  }
}

const ready = (status: 'True' | 'Unknown', now: number) => ({
  type: 'Ready',
  status,
  lastTransitionTime: timeText(now),
})
