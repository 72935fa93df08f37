import { nodeAnnotations } from '../../src/api/annotations.ts'
import { nodePaths, unitPath } from '../../src/api/node-paths.ts'
import type { MachineConfig } from '../../src/api/resources.ts'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { messageOf } from '@machinist/core/errors'
import { runDaemon } from '../../src/daemon/daemon.ts'
import { KubeClient } from '@machinist/kube/client'
import { nodes } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport'
import type { Cluster } from './cluster.ts'
import { Link } from './link.ts'
import type { MachineWitness } from './machine.ts'
import { Machine } from './machine.ts'
import { Process } from './process.ts'
import type { FileState } from './settings.ts'
import { settingsIn, simUnit } from './settings.ts'
import { SilentMetrics } from './silent-metrics.ts'
import { timeText } from './api/memory-api.ts'

/** After so long without a word from its kubelet a node is called lost. */
const lostAfterMs = 40_000

/** Who is told what a node does. */
export interface NodeWitness {
  /** After an operation of the daemon's a file that configs manage is like this. */
  fileSeen(path: string, state: FileState | undefined): void
  /** The daemon has asked for a reboot. */
  rebootAsked(node: string): void
  /** The machine runs again, with all its services. */
  booted?(): void
  /** The daemon restarted a service. */
  restarted?(unit: string): void
  /** Whether a service is well; the kubelet is asked before it says that its node is ready. */
  isWell?(unit: string): boolean
}

export interface NodeOptions {
  /** The files of which the witness is told; what configs manage unless said. */
  readonly watched?: ReadonlySet<string>
  /** Something between the daemon and the API. */
  readonly tamper?: (transport: Transport) => Transport
}

/** One node: a machine with a kubelet that reports, and a daemon that is started again whenever it ends. */
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
  /** How many more steps its daemon lives. */
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
        witness.rebootAsked(name)
        this.#rebooting()
      },
      restarted: (unit) => witness.restarted?.(unit),
      isWell: (unit) => witness.isWell?.(unit) ?? true,
    }
    this.machine = new Machine(name, cluster.newRandom(), machineWitness, options.watched)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get daemon(): Process | undefined {
    return this.#daemon
  }

  /** Joined long ago, in this config and with all that belongs to it. */
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

  /** Its kubelet makes its Node, as one that has been there before. */
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
    const { api, clock, weather, trace } = this.#cluster
    const actor = `daemon/${this.name}`
    const process = new Process(actor, clock)
    this.#daemon = process
    const step = (): void => this.#step(process)
    const random = this.#random
    const link = new Link({ api, clock, weather, process, actor, place: this.name, step })
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

  /** The world ends. */
  end(): void {
    this.#daemon?.kill()
  }

  /** kill -9 at the next but `steps` step, and started again after a while. */
  killSoon(steps: number): void {
    this.#fuse = steps
  }

  /** It may live after all. */
  spare(): void {
    this.#fuse = undefined
  }

  /** SIGTERM, as when its DaemonSet is updated. */
  restartDaemon(): void {
    this.#daemon?.stop()
  }

  /** kill -9 at once, and started again after a while. */
  replaceDaemon(): void {
    if (!this.#daemon) return
    this.#kill()
    this.#startLater()
  }

  /** The plug is pulled. */
  powerOff(): void {
    this.#isForcedOff = true
    this.#fall()
  }

  powerOn(): void {
    if (!this.#isForcedOff) return
    this.#isForcedOff = false
    this.#boot()
  }

  /** Says whether its kubelet reaches the API; called whenever that may have changed. */
  heartbeat(): void {
    const { clock } = this.#cluster
    const isWell = this.#isWell()
    clock.after(isWell ? 3000 : lostAfterMs, () => {
      if (this.#isWell() === isWell) this.#reportReady(isWell)
    })
  }

  #isWell(): boolean {
    const isRunning = this.#witness.isWell?.('kubelet.service') ?? true
    return this.#isUp && isRunning && this.#cluster.weather.reaches(this.name)
  }

  #reportReady(isWell: boolean): void {
    const { clock } = this.#cluster
    const status = isWell ? 'True' : 'Unknown'
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

  /** The daemon asked for it: whatever runs has a moment, then it is dark. */
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
