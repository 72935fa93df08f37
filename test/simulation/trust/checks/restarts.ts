import type { TrustScene } from '../scene.ts'
import type { TrustNode } from '../trust-node.ts'

/** Longer than the restart of a kubelet. */
const forgottenMs = 60_000

/** Kubelets of the control plane restart one at a time. */
export class RestartsCheck {
  readonly #scene: TrustScene
  #excusedUntil = -Infinity

  constructor(scene: TrustScene) {
    this.#scene = scene
  }

  /** A restored API may lack the turn of a kubelet that is restarting. */
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
      'kubelets of the control plane restart one at a time',
      `${node.name} restarts while ${others.map(({ name }) => name).join()} is not back`,
    )
  }
}
