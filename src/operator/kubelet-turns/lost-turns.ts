import type { Clock } from '@machinist/core/clock'

/** A turn that is granted, on the NodeTrust with this uid. */
export interface HeldTurn {
  readonly node: string
  readonly uid: string
  readonly isControlPlane: boolean
}

export interface LostTurn {
  readonly isControlPlane: boolean
  /** How long it still counts. */
  readonly leftMs: number
}

/** Within this time, a kubelet is back or has failed. */
const countsForMs = 2 * 60_000

/**
 * Turns whose Node or NodeTrust was deleted while they were granted. The machine may still restart its kubelet, so they count in
 * the budget for a while.
 */
export class LostTurns {
  readonly #clock: Clock
  readonly #held = new Map<string, HeldTurn>()
  readonly #lost = new Map<string, { readonly isControlPlane: boolean; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The operator removed the turn itself. */
  released(node: string): void {
    this.#held.delete(node)
  }

  /** The lost turns, given all turns that are granted. */
  among(held: readonly HeldTurn[]): LostTurn[] {
    const now = this.#clock.elapsed()
    const found = new Set(held.map(({ uid }) => uid))
    for (const { node, uid, isControlPlane } of this.#held.values()) {
      if (!found.has(uid)) this.#lost.set(node, { isControlPlane, at: now })
    }
    this.#held.clear()
    for (const turn of held) this.#held.set(turn.node, turn)
    const left: LostTurn[] = []
    for (const [node, { isControlPlane, at }] of this.#lost) {
      const leftMs = at + countsForMs - now
      if (leftMs <= 0) this.#lost.delete(node)
      else left.push({ isControlPlane, leftMs })
    }
    return left
  }
}
