import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { LedProcess } from '../led-process.ts'
import type { TrustScene } from './scene.ts'

const day = 24 * 3600_000
const minute = 60_000
const spans = [30, 90, 365]
const mostSteps = 8

/** Months in which a node is off or partitioned, or the whole cluster is off. */
export class LongAbsences {
  readonly #scene: TrustScene
  readonly #random: Random
  readonly #processes: readonly LedProcess[]

  constructor(scene: TrustScene, processes: readonly LedProcess[]) {
    this.#scene = scene
    this.#random = scene.cluster.newRandom()
    this.#processes = processes
  }

  /** One node is off or partitioned while the rest of the cluster runs. */
  async nodeAway(): Promise<void> {
    const { cluster, nodes } = this.#scene
    const all = [...nodes.values()]
    const { simulated: node } = all[between(this.#random, 0, all.length - 1)]!
    const isOff = this.#random.next() < 0.7
    if (isOff) node.powerOff()
    else cluster.network.cutOff(node.name)
    node.heartbeat()
    await this.#pass()
    if (isOff) node.powerOn()
    else cluster.network.reconnect(node.name)
    node.heartbeat()
  }

  /** The whole cluster is switched off and on again. */
  async allAway(): Promise<void> {
    const { cluster, nodes } = this.#scene
    for (const process of this.#processes) process.off()
    for (const { simulated } of nodes.values()) simulated.powerOff()
    const days = this.#days()
    cluster.trace.note('FAULT', `no user acts for ${days} days`)
    await cluster.clock.leap(days * day)
    for (const process of this.#processes) {
      cluster.clock.after(between(this.#random, 0, 120) * 1000, () => process.start())
    }
    for (const { simulated } of nodes.values()) {
      cluster.clock.after(between(this.#random, 0, 300) * 1000, () => simulated.powerOn())
    }
    await cluster.clock.advance(6 * minute)
  }

  /** Advances time in leaps, with a few minutes after each for due work. */
  async #pass(): Promise<void> {
    const { cluster } = this.#scene
    const days = this.#days()
    const step = Math.max(5, days / mostSteps)
    cluster.trace.note('FAULT', `${days} days pass`)
    for (let passed = 0; passed < days && cluster.violations.length === 0; passed += step) {
      await cluster.clock.leap(step * day)
      await cluster.clock.advance(between(this.#random, 30, 240) * 1000)
    }
  }

  #days(): number {
    return spans[between(this.#random, 0, spans.length - 1)]!
  }
}
