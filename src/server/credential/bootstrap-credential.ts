import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { isObject } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { ObjectKey } from '@machinist/core/objects/resource'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { withoutServerMessage } from '@machinist/kube/failure'
import { serviceAccounts } from '@machinist/kube/kinds/core'
import { Changes } from '../changes/changes.ts'

/** The credential in the kubeconfig of new machines. */
export interface CredentialSource {
  /** The token, if it is valid long enough for a machine to use it. Secret. */
  usable(): string | undefined
  /** Calls `changed` after each renewal. Returns a function that ends the subscription. */
  subscribe(changed: () => void): () => void
  /** Renews the credential until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export interface CredentialOptions {
  readonly client: Pick<KubeClient, 'act'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** The ServiceAccount with permission to request certificates for kubelets. */
  readonly account: ObjectKey
}

const minuteMs = 60_000
const requestedSeconds = 3600
const renewalMs = 10 * minuteMs
/** Time that a machine has from its request until its kubelet starts: it may install an OS image in between. */
const leastMs = 20 * minuteMs
/** A clock that jumps, or a machine that was suspended, is noticed after this time. */
const checkMs = minuteMs
const retry: BackoffPolicy = { firstMs: 1000, maxMs: minuteMs, factor: 2, jitter: 0.5 }

interface Issued {
  readonly token: string
  readonly validMs: number
  readonly at: number
  readonly atElapsed: number
}

/** A short-lived token of a ServiceAccount, renewed long before it expires. */
export class BootstrapCredential implements CredentialSource {
  readonly #options: CredentialOptions
  readonly #changes = new Changes()
  readonly #expiry: Gauge
  #issued: Issued | undefined

  constructor(options: CredentialOptions) {
    this.#options = options
    this.#expiry = options.metrics.gauge({
      name: 'machinist_server_credential_expiry_timestamp_seconds',
      help: 'Time at which the credential in the kubeconfig of new machines expires, in seconds since the epoch.',
    })
  }

  usable(): string | undefined {
    return this.#remainingMs() >= leastMs ? this.#issued?.token : undefined
  }

  subscribe(changed: () => void): () => void {
    return this.#changes.subscribe(changed)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log, account } = this.#options
    let failures = 0
    while (!signal.aborted) {
      try {
        const issued = await this.#renew(signal)
        failures = 0
        await this.#untilDue(issued, signal)
      } catch (error) {
        if (signal.aborted) return
        log.error('cannot get a credential for new machines', error, { account: account.name })
        await sleep(clock, backoffDelay(retry, failures++, random), signal)
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<Issued> {
    const { client, clock, account } = this.#options
    // The time before the request, because the validity starts during it.
    const [at, atElapsed] = [clock.now(), clock.elapsed()]
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: requestedSeconds },
    }
    const response = await client
      .act(serviceAccounts, account, body, { subresource: 'token', signal })
      .catch((error: unknown) => {
        throw withoutServerMessage(error)
      })
    const { token, seconds } = tokenIn(response)
    if (seconds * 1000 <= leastMs) {
      const needed = leastMs / 1000
      throw new Error(`the API server limits tokens to ${seconds} s; new machines need ${needed} s`)
    }
    const issued = { token, validMs: seconds * 1000, at, atElapsed }
    this.#issued = issued
    this.#expiry.set({}, Math.round(at / 1000 + seconds))
    this.#changes.notify()
    return issued
  }

  async #untilDue({ validMs }: Issued, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    // Several attempts fit into the rest if the API server grants less than requested.
    const dueMs = Math.min(renewalMs, (validMs - leastMs) / 2)
    while (!signal.aborted && this.#ageMs() < dueMs) {
      await sleep(clock, Math.min(checkMs, dueMs - this.#ageMs()), signal)
    }
  }

  #remainingMs(): number {
    return (this.#issued?.validMs ?? 0) - this.#ageMs()
  }

  /** The larger of both clocks: the wall clock may jump back, and the other one stops while the machine is suspended. */
  #ageMs(): number {
    if (!this.#issued) return 0
    const { clock } = this.#options
    return Math.max(clock.elapsed() - this.#issued.atElapsed, clock.now() - this.#issued.at)
  }
}

/** The validity as a duration: the clock of the API server may differ from this one. */
function tokenIn(response: unknown): { token: string; seconds: number } {
  const { spec, status } = isObject(response) ? response : {}
  const token = isObject(status) ? status['token'] : undefined
  const granted = isObject(spec) ? spec['expirationSeconds'] : undefined
  if (typeof token !== 'string' || token === '') {
    throw new Error('the API server returned no token')
  }
  return { token, seconds: typeof granted === 'number' ? granted : requestedSeconds }
}
