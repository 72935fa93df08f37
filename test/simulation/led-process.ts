import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { LeaseElection } from '@machinist/kube/leases/lease-election'
import type { Transport } from '@machinist/kube/transport/transport'
import type { Cluster } from './cluster.ts'
import { Link } from './link.ts'
import { Process } from './process.ts'
import { SilentMetrics } from './silent-metrics.ts'

/** Longer than the defaults: lease renewals dominate the cost of a simulated hour. */
const timing = { leaseMs: 120_000, renewMs: 80_000, retryMs: 30_000 }

/** Dependencies of a component under test. */
export interface ProcessTools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly instance: string
  readonly stopGraceMs: number
}

export interface LedProcessOptions {
  readonly cluster: Cluster
  readonly name: string
  /** The actor name of its writes. */
  readonly actor: string
  /** The process runs only while it holds this lease; without one, always. */
  readonly lease?: { readonly namespace: string; readonly name: string }
  readonly run: (tools: ProcessTools, term: AbortSignal) => Promise<void>
  readonly tamper?: (transport: Transport) => Transport
}

/** A process of the control plane; restarted whenever it ends. */
export class LedProcess {
  readonly name: string
  readonly #options: LedProcessOptions
  readonly #random: Random
  #running: Process | undefined
  #isStopped = true
  #starts = 0
  #fuse: number | undefined

  constructor(options: LedProcessOptions) {
    this.name = options.name
    this.#options = options
    this.#random = options.cluster.newRandom()
  }

  get process(): Process | undefined {
    return this.#running
  }

  start(): void {
    const { cluster, name, actor, lease, run, tamper } = this.#options
    const { api, clock, network, trace } = cluster
    if (this.#running) return
    this.#isStopped = false
    this.#starts += 1
    const identity = `${name}-${this.#starts}`
    const process = new Process(identity, clock)
    this.#running = process
    const step = (): void => this.#step(process)
    const link = new Link({ api, clock, network, process, actor, place: name, step })
    const random = this.#random
    const transport = tamper ? tamper(link) : link
    const tools: ProcessTools = {
      client: new KubeClient({ transport, clock: process.clock, random }),
      clock: process.clock,
      random,
      log: trace.logger(process),
      metrics: new SilentMetrics(),
      instance: identity,
      stopGraceMs: 5000,
    }
    const work = (term: AbortSignal): Promise<void> => run(tools, term)
    const election =
      lease && new LeaseElection({ ...tools, api: tools.client, lease, identity, timing })
    const ended = election ? election.lead(process.signal, work) : work(process.signal)
    ended.then(
      () => this.#ended(process),
      (error: unknown) => {
        this.#options.cluster.violated(`${actor} does not crash`, messageOf(error))
      },
    )
  }

  /** Kills the process until `start` is called. */
  off(): void {
    this.#isStopped = true
    this.#running?.kill()
    this.#running = undefined
  }

  killSoon(steps: number): void {
    this.#fuse = steps
  }

  /** Cancels a pending kill. */
  spare(): void {
    this.#fuse = undefined
  }

  /** SIGTERM. */
  restart(): void {
    this.#running?.stop()
  }

  /** Kills the process at once; it restarts after a while. */
  replace(): void {
    const running = this.#running
    if (!running) return
    running.kill()
    this.#ended(running)
  }

  #step(process: Process): void {
    if (this.#fuse === undefined || process !== this.#running) return
    this.#fuse -= 1
    if (this.#fuse > 0) return
    this.#fuse = undefined
    this.#options.cluster.trace.note(this.name, 'is killed')
    process.kill()
    this.#ended(process)
  }

  #ended(process: Process): void {
    if (this.#running !== process) return
    this.#running = undefined
    this.#options.cluster.clock.after(between(this.#random, 1, 30) * 1000, () => {
      if (!this.#isStopped) this.start()
    })
  }
}
