import { Metrics } from '../../src/base/metrics.ts'
import { messageOf } from '../../src/base/errors.ts'
import type { Random } from '../../src/base/random.ts'
import { between } from '../../src/base/random.ts'
import { runControllers } from '../../src/controllers/run-controllers.ts'
import { KubeClient } from '../../src/kube/client.ts'
import { LeaseElection } from '../../src/kube/lease-election.ts'
import type { Transport } from '../../src/kube/transport.ts'
import type { Cluster } from './cluster.ts'
import { Link } from './link.ts'
import { Process } from './process.ts'

export const maker = { version: '1.2.3', build: 'build-1' }

/** Longer than usual: renewals are a good part of what a simulated hour costs. */
const timing = { leaseMs: 120_000, renewMs: 80_000, retryMs: 30_000 }

/** One of the processes that may lead; started again whenever it ends. */
export class ControllerProcess {
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #name: string
  readonly #tamper: (transport: Transport) => Transport
  #running: Process | undefined
  #starts = 0
  #fuse: number | undefined

  constructor(name: string, cluster: Cluster, tamper = (transport: Transport) => transport) {
    this.#name = name
    this.#cluster = cluster
    this.#random = cluster.newRandom()
    this.#tamper = tamper
  }

  get process(): Process | undefined {
    return this.#running
  }

  start(): void {
    const { api, clock, weather, trace } = this.#cluster
    this.#starts += 1
    const identity = `${this.#name}-${this.#starts}`
    const process = new Process(identity, clock)
    this.#running = process
    const place = this.#name
    const actor = 'controllers'
    const step = (): void => this.#step(process)
    const link = new Link({ api, clock, weather, process, actor, place, step })
    const random = this.#random
    const client = new KubeClient({
      transport: this.#tamper(link),
      clock: process.clock,
      random,
    })
    const tools = {
      clock: process.clock,
      random,
      log: trace.logger(process),
      metrics: new Metrics(),
    }
    const lease = { namespace: 'default', name: 'machinist' }
    const election = new LeaseElection({ ...tools, api: client, lease, identity, timing })
    const options = { ...tools, client, maker, instance: identity, stopGraceMs: 5000 }
    election
      .lead(process.signal, (term) => runControllers(options, term))
      .then(
        () => this.#ended(process),
        (error: unknown) => {
          this.#cluster.violated('controllers do not crash', messageOf(error))
        },
      )
  }

  /** The world ends. */
  end(): void {
    this.#running?.kill()
  }

  killSoon(steps: number): void {
    this.#fuse = steps
  }

  /** It may live after all. */
  spare(): void {
    this.#fuse = undefined
  }

  /** SIGTERM. */
  restart(): void {
    this.#running?.stop()
  }

  #step(process: Process): void {
    if (this.#fuse === undefined || process !== this.#running) return
    this.#fuse -= 1
    if (this.#fuse > 0) return
    this.#fuse = undefined
    this.#cluster.trace.note(this.#name, 'is killed')
    process.kill()
    this.#ended(process)
  }

  #ended(process: Process): void {
    if (this.#running !== process) return
    this.#running = undefined
    this.#cluster.clock.after(between(this.#random, 1, 30) * 1000, () => this.start())
  }
}
