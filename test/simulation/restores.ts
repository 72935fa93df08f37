import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { Backup, Revisions } from './api/memory-api.ts'
import type { Cluster } from './cluster.ts'
import type { LedProcess } from './led-process.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** A part of the world that remembers what is in the API. */
export interface Restorable {
  /** What brings its memory back to this moment. */
  backup(): () => void
}

export interface RestoreScene {
  readonly cluster: Cluster
  readonly nodes: { values(): IterableIterator<SimulatedNode> }
  readonly controllers: readonly LedProcess[]
  readonly parts: readonly Restorable[]
  /** How often revisions jump ahead and no process is restarted, of 1. */
  readonly ahead: number
}

/** An administrator backs etcd up, and restores that backup later. */
export class Restores {
  readonly #scene: RestoreScene
  /** Of its own: in worlds without a restore nothing changes. */
  readonly random: Random
  #backup: Backup | undefined
  #putBack: (() => void)[] = []

  constructor(scene: RestoreScene) {
    this.#scene = scene
    this.random = seededRandom(scene.cluster.seed + 0x5e5701)
  }

  backup(): void {
    const { cluster, parts } = this.#scene
    cluster.trace.note('FATE', 'backup of the API')
    this.#backup = cluster.api.backup()
    this.#putBack = parts.map((part) => part.backup())
  }

  /**
   * Revisions go back, and all components are restarted, as the documentation of Kubernetes advises; or revisions jump
   * ahead, and every component goes on with what it remembers.
   */
  restore(): void {
    const { cluster, nodes, controllers } = this.#scene
    if (!this.#backup) throw new Error('there is no backup')
    const revisions: Revisions = this.random.next() < this.#scene.ahead ? 'ahead' : 'back'
    cluster.trace.note('FATE', `restore of the API, revisions go ${revisions}`)
    cluster.api.restore(this.#backup, revisions)
    for (const putBack of this.#putBack) putBack()
    for (const node of nodes.values()) {
      if (revisions === 'back') node.replaceDaemon()
      node.heartbeat()
    }
    if (revisions === 'ahead') return
    for (const controller of controllers) controller.replace()
  }

  /** A while in which nodes get ahead of the backup. */
  whileMs(): number {
    return between(this.random, 5, this.random.next() < 0.5 ? 120 : 1200) * 1000
  }
}
