import type { Leaf } from './leafs.ts'

/** How often client-go looks at the certificate file of a client. Meanwhile connections stay open with the one before. */
const refreshMs = 5 * 60_000

interface Delivered {
  readonly leaf: Leaf
  readonly at: number
}

/**
 * A client such as kube-apiserver, which presents the leaf certificate of a Secret: its file is written some time after the
 * Secret, it looks at that file every five minutes, and presents what it saw then at every request.
 */
export class LeafHolder {
  readonly #deliveryMs: number
  readonly #phaseMs: number
  /** The oldest first; the first one is presented, the others come. */
  #delivered: Delivered[] = []

  /** `phaseMs`: when, within five minutes, it looks at its file. */
  constructor(deliveryMs: number, phaseMs: number) {
    this.#deliveryMs = deliveryMs
    this.#phaseMs = phaseMs % refreshMs
  }

  /** The Secret has this from now on. */
  written(leaf: Leaf, now: number): void {
    this.#delivered.push({ leaf, at: now + this.#deliveryMs })
  }

  /** It has what is in the Secret, whatever it presented. */
  forgetReplaced(): void {
    this.#delivered = this.#delivered.slice(-1)
  }

  presents(now: number): Leaf | undefined {
    const lookedAt = now - ((((now - this.#phaseMs) % refreshMs) + refreshMs) % refreshMs)
    const seen = this.#delivered.findLastIndex(({ at }) => at <= lookedAt)
    if (seen > 0) this.#delivered.splice(0, seen)
    return this.#delivered[0]?.leaf
  }
}
