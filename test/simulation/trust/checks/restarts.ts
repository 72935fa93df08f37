import type { Scene } from '../scene.ts'
import type { TrustNode } from '../trust-node.ts'

/** A turn that nobody renews is over after a minute. */
const turnMs = 90_000

/** Of the control plane, one kubelet is restarted at a time. */
export class RestartsCheck {
  readonly #scene: Scene
  /** Until when a node may be without the turn that it believes to have. */
  readonly #troubledUntil = new Map<string, number>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  troubled(node: string, ms: number): void {
    this.#troubledUntil.set(node, this.#scene.cluster.clock.elapsed() + ms + turnMs)
  }

  restarts(node: TrustNode): void {
    if (!node.isControlPlane) return
    const { cluster, nodes } = this.#scene
    const others = [...nodes.values()].filter(
      (other) => other !== node && other.isControlPlane && !other.isKubeletRunning,
    )
    const isExcused = [node, ...others].some(
      ({ name }) => (this.#troubledUntil.get(name) ?? -1) > cluster.clock.elapsed(),
    )
    if (others.length === 0 || isExcused) return
    cluster.violated(
      'one kubelet of the control plane is restarted at a time',
      `${node.name} restarts while ${others.map(({ name }) => name).join()} is not back`,
    )
  }
}
