/** A certificate that a client presents. */
export interface Shown {
  readonly certificate: string
  readonly key: string
}

/** A client that presents the certificate of a Secret, and uses a new one some time after it was written. */
export class Caller {
  readonly #lagMs: number
  #shows: Shown | undefined
  #next: { readonly shown: Shown; readonly seenAt: number } | undefined

  constructor(lagMs: number) {
    this.#lagMs = lagMs
  }

  /** The content of the Secret at this time. */
  see(shown: Shown, now: number): void {
    if (this.#next?.shown.certificate !== shown.certificate) this.#next = { shown, seenAt: now }
    if (!this.#shows || now >= this.#next.seenAt + this.#lagMs) this.#shows = this.#next.shown
  }

  get shows(): Shown | undefined {
    return this.#shows
  }
}
