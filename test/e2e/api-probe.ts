import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import { parseYaml } from '@machinist/core/yaml'

export interface Probed {
  /** Of whom the server's certificates were, in the order in which they were seen. */
  readonly issuers: readonly string[]
  /** Questions of somebody who goes by the kubeconfig that were not answered. */
  readonly failures: readonly string[]
  /** Asks once more, trusting these CAs only. */
  askWith(ca: string): Promise<string>
}

export interface ProbeOptions {
  /** PEM of the CAs of somebody who learns of no others: served until the server shows a certificate of another CA. */
  readonly old?: string
  /** Called at that moment. */
  readonly changed?: () => void
}

/** Asks the API again and again, each time as whoever comes new: by the kubeconfig as it is, over a new connection. */
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
      askWith: (ca) => ask(this.#kubeconfig, ca),
    }
  }

  async #run(): Promise<void> {
    const { old } = this.#options
    do {
      const problem = this.#issuers.length < 2 && old ? await this.#problemOf(old) : undefined
      try {
        this.#see(await ask(this.#kubeconfig, caInKubeconfig(this.#kubeconfig)))
      } catch (error) {
        this.#failures.push(messageOf(error))
      }
      if (problem !== undefined && this.#issuers.length < 2) this.#failures.push(problem)
      await pause(20)
    } while (!this.#isOver)
  }

  async #problemOf(ca: string): Promise<string | undefined> {
    return await ask(this.#kubeconfig, ca).then(() => undefined, messageOf)
  }

  #see(issuer: string): void {
    if (issuer === this.#issuers.at(-1)) return
    this.#issuers.push(issuer)
    if (this.#issuers.length > 1) this.#options.changed?.()
  }
}

/** PEM of the CAs by which a kubeconfig knows its first cluster. */
export function caInKubeconfig(path: string): string {
  const data = String(clusterIn(path)['certificate-authority-data'])
  return Buffer.from(data, 'base64').toString()
}

function clusterIn(path: string): Record<string, unknown> {
  const found = parseYaml(readFileSync(path, 'utf8'), path)
  const [first] = isObject(found) && Array.isArray(found['clusters']) ? found['clusters'] : []
  return isObject(first) && isObject(first['cluster']) ? first['cluster'] : {}
}

/** Who signed the certificate of the server, which must be one that these vouch for. */
function ask(kubeconfig: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const url = `${String(clusterIn(kubeconfig)['server'])}/version`
    const asked = get(url, { ca, agent: false }, (answer) => {
      const { issuer } = (answer.socket as TLSSocket).getPeerX509Certificate()!
      answer.resume().on('end', () => resolve(issuer.replace('CN=', '')))
    })
    asked.on('error', reject)
  })
}
