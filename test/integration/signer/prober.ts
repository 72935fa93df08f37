import type { ObjectKey } from '@machinist/core/objects/resource'
import type { Clock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { secrets } from '@machinist/kube/kinds/core'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { systemClock } from '@machinist/core/clock'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import type { Shown } from './caller.ts'
import { Caller } from './caller.ts'
import { PersistentClient } from './persistent-client.ts'
import { KubeletServer, callOnce } from './kubelet-server.ts'

export interface ProberOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** The Secret whose certificate clients present. */
  readonly target: ObjectKey
  readonly rotation: string
  /** The delay of each client before it uses a new certificate. */
  readonly lagsMs: readonly number[]
  /** Delay between the Secret and the files of clients with persistent connections. */
  readonly deliveryMs: number
}

/**
 * Clients with the certificate of a Secret send requests to all kubelet servers, over a new connection each time, and one client
 * per server over a persistent connection.
 */
export class Prober implements AsyncDisposable {
  /** Rejected requests, with the server and the reason. */
  readonly failures: string[] = []
  /** Number of accepted requests by phase and issuer: `Preparing, signer@1`. */
  readonly accepted = new Map<string, number>()
  readonly servers: KubeletServer[] = []
  readonly #options: ProberOptions
  readonly #callers: readonly Caller[]
  readonly #clients: PersistentClient[] = []
  readonly #ca: KeyPair
  readonly #served: KeyPair

  static async make(options: ProberOptions): Promise<Prober> {
    const validity = validFor(systemClock, 86_400_000)
    const ca = await createAuthority({ name: 'kubelets', validity })
    const served = await issueCertificate(ca, {
      commonName: 'kubelet',
      dnsNames: ['localhost'],
      usages: ['server'],
      validity,
    })
    return new Prober(options, ca, served)
  }

  private constructor(options: ProberOptions, ca: KeyPair, served: KeyPair) {
    this.#options = options
    this.#callers = options.lagsMs.map((lagMs) => new Caller(lagMs))
    this.#ca = ca
    this.#served = served
  }

  async open(name: string, path: string, everyMs: number): Promise<void> {
    const { clock } = this.#options
    const server = await KubeletServer.open({ name, path, everyMs, clock, served: this.#served })
    this.servers.push(server)
    const { deliveryMs } = this.#options
    this.#clients.push(new PersistentClient({ server, ca: this.#ca.certificate, deliveryMs }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]()
    for (const server of this.servers) await server[Symbol.asyncDispose]()
  }

  /** Each client sends a request to each server. */
  async round(): Promise<void> {
    const { client, clock, target, rotation } = this.#options
    const { data = {} } = await client.get(secrets, target)
    const { status } = await client.get(trustRotations, { name: rotation })
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) =>
      Buffer.from(data[name] ?? '', 'base64').toString(),
    ) as [string, string]
    for (const caller of this.#callers) {
      caller.see({ certificate, key }, clock.now())
      await this.#knock(caller, status?.phase ?? 'no phase')
    }
    const phase = status?.phase ?? 'no phase'
    for (const client of this.#clients) {
      const problem = await client.call({ certificate, key }, clock.now())
      this.#note(client.server, phase, client.presents!, problem, ' over a persistent connection')
    }
  }

  /** Phases in which a certificate of this issuer was accepted. */
  phasesOf(issuer: string): string[] {
    return [...this.accepted.keys()].flatMap((key) => {
      const [phase, by] = key.split(', ')
      return by === issuer ? [phase!] : []
    })
  }

  get count(): number {
    return [...this.accepted.values()].reduce((sum, each) => sum + each, 0)
  }

  async #knock({ shows }: Caller, phase: string): Promise<void> {
    const knocks = this.servers.map(async (server) => {
      this.#note(server, phase, shows!, await callOnce(server, shows!, this.#ca.certificate))
    })
    await Promise.all(knocks)
  }

  #note(
    { name }: KubeletServer,
    phase: string,
    { certificate }: Shown,
    problem: string | undefined,
    how = '',
  ): void {
    const issuer = /CN=(.*)/.exec(readCertificate(certificate).issuer)![1]!
    if (problem === undefined) this.#add(`${phase}, ${issuer}`)
    else this.failures.push(`${name}, ${phase}, ${issuer}: ${problem}${how}`)
  }

  #add(key: string): void {
    this.accepted.set(key, (this.accepted.get(key) ?? 0) + 1)
  }
}
