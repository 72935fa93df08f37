import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { Cluster } from './cluster.ts'
import type { LedProcess } from './led-process.ts'
import type { SimulatedNode } from './simulated-node.ts'

export interface FaultTargets {
  readonly cluster: Cluster
  readonly nodes: { values(): IterableIterator<SimulatedNode> }
  readonly controllers: readonly LedProcess[]
}

const minute = 60_000

/** Injects faults that end after a while. */
export class Faults {
  readonly #scene: FaultTargets
  readonly #random: Random
  readonly #healers = new Set<() => void>()

  constructor(scene: FaultTargets) {
    this.#scene = scene
    this.#random = scene.cluster.newRandom()
  }

  storm(): void {
    const { network } = this.#scene.cluster
    network.storm(0.02 + this.#random.next() * 0.25)
    this.#for(between(this.#random, 1, 5) * minute, () => network.storm(0))
  }

  cutOffNode(): void {
    const node = this.#node()
    const { network } = this.#scene.cluster
    network.cutOff(node.name)
    node.heartbeat()
    const ms = between(this.#random, 10, 600) * 1000
    this.#for(ms, () => {
      network.reconnect(node.name)
      node.heartbeat()
    })
  }

  cutOffController(): void {
    const { network } = this.#scene.cluster
    const { name } = this.#controller()
    network.cutOff(name)
    this.#for(between(this.#random, 10, 300) * 1000, () => network.reconnect(name))
  }

  powerCut(): void {
    const node = this.#node()
    node.powerOff()
    this.#for(between(this.#random, 10, 600) * 1000, () => node.powerOn())
  }

  killDaemon(): void {
    this.#node().killSoon(between(this.#random, 1, 150))
  }

  restartDaemon(): void {
    this.#node().restartDaemon()
  }

  killController(): void {
    this.#controller().killSoon(between(this.#random, 1, 40))
  }

  restartController(): void {
    this.#controller().restart()
  }

  freeze(): void {
    const who = this.#random.next() < 0.5 ? this.#node() : this.#controller()
    const ms = between(this.#random, 5, 180) * 1000
    const process = 'daemon' in who ? who.daemon : who.process
    process?.freeze(ms)
  }

  /** Returns the name of the affected process. */
  skewClock(minutes = between(this.#random, -60, 60)): string {
    const who = this.#random.next() < 0.5 ? this.#node() : this.#controller()
    const process = 'daemon' in who ? who.daemon : who.process
    process?.skew(minutes * minute)
    this.#for(between(this.#random, 1, 10) * minute, () => process?.skew(0))
    return who.name
  }

  breakDisk(): void {
    const { machine } = this.#node()
    machine.diskError = this.#random.next() < 0.5 ? 'ENOSPC' : 'EIO'
    this.#for(between(this.#random, 5, 300) * 1000, () => (machine.diskError = undefined))
  }

  forgetHistory(): void {
    this.#scene.cluster.api.compact()
  }

  /** Ends all faults. */
  heal(): void {
    for (const node of this.#scene.nodes.values()) node.spare()
    for (const controller of this.#scene.controllers) controller.spare()
    for (const heal of this.#healers) heal()
    this.#healers.clear()
  }

  #for(ms: number, heal: () => void): void {
    const once = (): void => {
      if (this.#healers.delete(once)) heal()
    }
    this.#healers.add(once)
    this.#scene.cluster.clock.after(ms, once)
  }

  #node(): SimulatedNode {
    const all = [...this.#scene.nodes.values()]
    return all[between(this.#random, 0, all.length - 1)]!
  }

  #controller(): LedProcess {
    const { controllers } = this.#scene
    return controllers[between(this.#random, 0, controllers.length - 1)]!
  }
}
