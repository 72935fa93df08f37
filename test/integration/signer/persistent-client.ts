import type { Agent } from 'node:https'
import type { Shown } from './caller.ts'
import type { KubeletServer } from './kubelet-server.ts'
import { callServer, connectionsWith } from './kubelet-server.ts'

/** How often client-go reads the certificate file of a client with persistent connections (CertCallbackRefreshDuration). */
const clientGoRefreshMs = 5 * 60_000

export interface PersistentClientOptions {
  readonly server: KubeletServer
  /** The CA of the server's certificate. */
  readonly ca: string
  /** Delay between the Secret and the client's file. */
  readonly deliveryMs: number
}

/**
 * A client like client-go in kube-apiserver: it keeps one connection, presents the certificate of that connection with every
 * request, and reads its file only every five minutes. A new certificate closes the connection.
 */
export class PersistentClient implements Disposable {
  readonly #options: PersistentClientOptions
  #file: Shown | undefined
  #next: { readonly shown: Shown; readonly at: number } | undefined
  #lookedAt = -Infinity
  #presents: Shown | undefined
  #connection: Agent | undefined

  constructor(options: PersistentClientOptions) {
    this.#options = options
  }

  get server(): KubeletServer {
    return this.#options.server
  }

  get presents(): Shown | undefined {
    return this.#presents
  }

  [Symbol.dispose](): void {
    this.#connection?.destroy()
  }

  /** Sends one request; `secret` is the current content of the Secret. */
  async call(secret: Shown, now: number): Promise<string | undefined> {
    this.#deliver(secret, now)
    if (now >= this.#lookedAt + clientGoRefreshMs) this.#look(now)
    return await callServer(this.#options.server, this.#connection!)
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
