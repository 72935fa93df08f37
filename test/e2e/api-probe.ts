import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'

export interface Probed {
  /** Issuers of the server's certificates, in the order in which they were observed. */
  readonly issuers: readonly string[]
  /** Failed requests. */
  readonly failures: readonly string[]
  /** Sends one more request that trusts these CAs only. */
  requestWith(ca: string): Promise<string>
}

export interface ProbeOptions {
  /** PEM of the CAs of a client that never reloads them: it must be served until the server uses a certificate of another CA. */
  readonly old?: string
  /** Called at that moment. */
  readonly changed?: () => void
}

/** Sends requests to the API server continuously, each like a new client: with the current kubeconfig, over a new connection. */
export class ApiProbe {
  readonly #kubeconfig: string
  readonly #options: ProbeOptions
  readonly #issuers: string[] = []
  readonly #failures: string[] = []
  readonly #running: Promise<void>
  #isOver = false

  constructor(kubeconfig: string, options: ProbeOptions = {}) {
    this.#kubeconfig = kubeconfig
    this.#options = options
    this.#running = this.#run()
  }

  async stop(): Promise<Probed> {
    this.#isOver = true
    await this.#running
    return {
      issuers: this.#issuers,
      failures: this.#failures,
      requestWith: (ca) => requestIssuer(this.#kubeconfig, ca),
    }
  }

  async #run(): Promise<void> {
    const { old } = this.#options
    do {
      const problem = this.#issuers.length < 2 && old ? await this.#problemOf(old) : undefined
      try {
        this.#record(await requestIssuer(this.#kubeconfig, caInKubeconfig(this.#kubeconfig)))
      } catch (error) {
        this.#failures.push(messageOf(error))
      }
      if (problem !== undefined && this.#issuers.length < 2) this.#failures.push(problem)
      await pause(20)
    } while (!this.#isOver)
  }

  async #problemOf(ca: string): Promise<string | undefined> {
    return await requestIssuer(this.#kubeconfig, ca).then(() => undefined, messageOf)
  }

  #record(issuer: string): void {
    if (issuer === this.#issuers.at(-1)) return
    this.#issuers.push(issuer)
    if (this.#issuers.length > 1) this.#options.changed?.()
  }
}

/** PEM of the CAs of the first cluster in a kubeconfig. */
export function caInKubeconfig(path: string): string {
  const data = String(clusterIn(path)['certificate-authority-data'])
  return Buffer.from(data, 'base64').toString()
}

function clusterIn(path: string): Record<string, unknown> {
  const found = parseYaml(readFileSync(path, 'utf8'), path)
  const [first] = isObject(found) && Array.isArray(found['clusters']) ? found['clusters'] : []
  return isObject(first) && isObject(first['cluster']) ? first['cluster'] : {}
}

/** The issuer of the server's certificate, which must be signed by one of these CAs. */
function requestIssuer(kubeconfig: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const url = `${String(clusterIn(kubeconfig)['server'])}/version`
    const request = get(url, { ca, agent: false }, (answer) => {
      const { issuer } = (answer.socket as TLSSocket).getPeerX509Certificate()!
      answer.resume().on('end', () => resolve(issuer.replace('CN=', '')))
    })
    request.on('error', reject)
  })
}
