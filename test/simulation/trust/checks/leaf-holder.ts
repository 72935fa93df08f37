import type { Leaf } from './leaf-certificates.ts'

/** How often client-go reloads the certificate file of a client. Until then it keeps the previous certificate. */
const refreshMs = 5 * 60_000

interface Delivered {
  readonly leaf: Leaf
  readonly at: number
}

/**
 * A client such as kube-apiserver, which presents the leaf certificate of a Secret: its file is written some time after the
 * Secret, and it reloads the file every five minutes.
 */
export class LeafHolder {
  readonly #deliveryMs: number
  readonly #phaseMs: number
  /** Oldest first. The first one is presented. */
  #delivered: Delivered[] = []

  /** `phaseMs`: the offset of the reloads within five minutes. */
  constructor(deliveryMs: number, phaseMs: number) {
    this.#deliveryMs = deliveryMs
    this.#phaseMs = phaseMs % refreshMs
  }

  /** The Secret was updated. */
  written(leaf: Leaf, now: number): void {
    this.#delivered.push({ leaf, at: now + this.#deliveryMs })
  }

  /** Drops all certificates but the newest. */
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
