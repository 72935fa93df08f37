import type { Scene } from '../scene.ts'
import type { TrustNode } from '../trust-node.ts'

/** Longer than a kubelet needs to restart. */
const forgottenMs = 60_000

/** Of the control plane, one kubelet is restarted at a time, whatever happens to nodes, processes and clocks. */
export class RestartsCheck {
  readonly #scene: Scene
  #excusedUntil = -Infinity

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** A restored API may not know of the turn of a kubelet that is just being restarted. */
  backup(): () => void {
    return () => (this.#excusedUntil = this.#scene.cluster.clock.elapsed() + forgottenMs)
  }

  restarts(node: TrustNode): void {
    if (!node.isControlPlane || this.#scene.cluster.clock.elapsed() < this.#excusedUntil) return
    const { cluster, nodes } = this.#scene
    const others = [...nodes.values()].filter(
      (other) => other !== node && other.isControlPlane && !other.isKubeletRunning,
    )
    if (others.length === 0) return
    cluster.violated(
      'one kubelet of the control plane is restarted at a time',
      `${node.name} restarts while ${others.map(({ name }) => name).join()} is not back`,
    )
  }
}
