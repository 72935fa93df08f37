import type { ObjectKey } from '@machinist/core/resource'
import type { Clock } from '@machinist/core/clock'
import { trustRotations } from '../../../src/api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import { secrets } from '@machinist/kube/kinds/core'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { systemClock } from '@machinist/core/clock'
import type { Shown } from './caller.ts'
import { Caller } from './caller.ts'
import { KeepingClient } from './keeping-client.ts'
import { KubeletDoor, knock } from './kubelet-door.ts'

export interface ProberOptions {
  readonly client: KubeClient
  readonly clock: Clock
  /** Whose certificate is shown. */
  readonly target: ObjectKey
  readonly rotation: string
  /** How much later than it was written each of those who show it takes it over. */
  readonly lagsMs: readonly number[]
  /** How much later than the Secret the files of clients are written that keep their connections. */
  readonly deliveryMs: number
}

/**
 * Callers with the certificate in a Secret go to the doors of all kubelets, again and again: over a new connection each time,
 * and to each door also a client that keeps its connection.
 */
export class Prober implements AsyncDisposable {
  /** Who was not let in, where, and why. */
  readonly failures: string[] = []
  /** How many were let in, by phase of the rotation and by who signed what they showed: `Preparing, signer@1`. */
  readonly letIn = new Map<string, number>()
  readonly doors: KubeletDoor[] = []
  readonly #options: ProberOptions
  readonly #callers: readonly Caller[]
  readonly #clients: KeepingClient[] = []
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
    const door = await KubeletDoor.open({ name, path, everyMs, clock, served: this.#served })
    this.doors.push(door)
    const { deliveryMs } = this.#options
    this.#clients.push(new KeepingClient({ door, ca: this.#ca.certificate, deliveryMs }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]()
    for (const door of this.doors) await door[Symbol.asyncDispose]()
  }

  /** Each caller goes to each door. */
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
      this.#note(client.door, phase, client.presents!, problem, ' over a kept connection')
    }
  }

  /** Phases in which somebody was let in with a certificate of this signer. */
  phasesOf(issuer: string): string[] {
    return [...this.letIn.keys()].flatMap((key) => {
      const [phase, by] = key.split(', ')
      return by === issuer ? [phase!] : []
    })
  }

  get count(): number {
    return [...this.letIn.values()].reduce((sum, each) => sum + each, 0)
  }

  async #knock({ shows }: Caller, phase: string): Promise<void> {
    const knocks = this.doors.map(async (door) => {
      this.#note(door, phase, shows!, await knock(door, shows!, this.#ca.certificate))
    })
    await Promise.all(knocks)
  }

  #note(
    { name }: KubeletDoor,
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
    this.letIn.set(key, (this.letIn.get(key) ?? 0) + 1)
  }
}
