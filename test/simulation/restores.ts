import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { Backup, Revisions } from './api/memory-api.ts'
import type { Cluster } from './cluster.ts'
import type { LedProcess } from './led-process.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** A part of the simulation that tracks the content of the API. */
export interface Restorable {
  /** Returns a function that restores the current state. */
  backup(): () => void
}

export interface RestoreScene {
  readonly cluster: Cluster
  readonly nodes: { values(): IterableIterator<SimulatedNode> }
  readonly controllers: readonly LedProcess[]
  readonly parts: readonly Restorable[]
  /** Probability that revisions jump ahead and no process is restarted. */
  readonly ahead: number
}

/** An administrator takes a backup of etcd and restores it later. */
export class Restores {
  readonly #scene: RestoreScene
  /** A separate generator: simulations without a restore stay the same. */
  readonly random: Random
  #backup: Backup | undefined
  #putBack: (() => void)[] = []

  constructor(scene: RestoreScene) {
    this.#scene = scene
    this.random = seededRandom(scene.cluster.seed + 0x5e5701)
  }

  backup(): void {
    const { cluster, parts } = this.#scene
    cluster.trace.note('FAULT', 'backup of the API')
    this.#backup = cluster.api.backup()
    this.#putBack = parts.map((part) => part.backup())
  }

  /**
   * Either revisions go back and all components are restarted, as the documentation of Kubernetes recommends; or revisions jump ahead
   * and every component keeps its caches.
   */
  restore(): void {
    const { cluster, nodes, controllers } = this.#scene
    if (!this.#backup) throw new Error('there is no backup')
    const revisions: Revisions = this.random.next() < this.#scene.ahead ? 'ahead' : 'back'
    cluster.trace.note('FAULT', `restore of the API, revisions go ${revisions}`)
    cluster.api.restore(this.#backup, revisions)
    for (const putBack of this.#putBack) putBack()
    for (const node of nodes.values()) {
      if (revisions === 'back') node.replaceDaemon()
      node.heartbeat()
    }
    if (revisions === 'ahead') return
    for (const controller of controllers) controller.replace()
  }

  /** The time between backup and restore. */
  whileMs(): number {
    return between(this.random, 5, this.random.next() < 0.5 ? 120 : 1200) * 1000
  }
}
