import type { Agent } from 'node:https'
import type { Shown } from './caller.ts'
import type { KubeletDoor } from './kubelet-door.ts'
import { callDoor, connectionsWith } from './kubelet-door.ts'

/** How often client-go looks at the certificate file of a client that keeps its connections (CertCallbackRefreshDuration). */
const clientGoRefreshMs = 5 * 60_000

export interface KeepingClientOptions {
  readonly door: KubeletDoor
  /** Who signed what the door shows. */
  readonly ca: string
  /** How much later than the Secret the client's file is written. */
  readonly deliveryMs: number
}

/**
 * A client of client-go, as kube-apiserver is towards kubelets: it keeps one connection, presents the certificate of that
 * connection with every request, and looks at its file every five minutes only. A new certificate closes the connection.
 */
export class KeepingClient implements Disposable {
  readonly #options: KeepingClientOptions
  #file: Shown | undefined
  #next: { readonly shown: Shown; readonly at: number } | undefined
  #lookedAt = -Infinity
  #presents: Shown | undefined
  #connection: Agent | undefined

  constructor(options: KeepingClientOptions) {
    this.#options = options
  }

  get door(): KubeletDoor {
    return this.#options.door
  }

  get presents(): Shown | undefined {
    return this.#presents
  }

  [Symbol.dispose](): void {
    this.#connection?.destroy()
  }

  /** One request, while this is in the Secret. */
  async call(secret: Shown, now: number): Promise<string | undefined> {
    this.#deliver(secret, now)
    if (now >= this.#lookedAt + clientGoRefreshMs) this.#look(now)
    return await callDoor(this.#options.door, this.#connection!)
  }

  #deliver(secret: Shown, now: number): void {
    if (this.#next?.shown.certificate !== secret.certificate) {
      this.#next = { shown: secret, at: now + this.#options.deliveryMs }
    }
    if (!this.#file || now >= this.#next.at) this.#file = this.#next.shown
  }

  #look(now: number): void {
    this.#lookedAt = now
    if (this.#presents?.certificate === this.#file!.certificate) return
    this.#presents = this.#file!
    this.#connection?.destroy()
    this.#connection = connectionsWith(this.#presents, this.#options.ca, true)
  }
}
