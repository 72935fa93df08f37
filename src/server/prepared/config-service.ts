import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { AcceptedVersions } from '../answer/accept.ts'
import { noCredential } from '../answer/inputs.ts'
import { notYet, unsupportedVersion } from '../answer/refusal.ts'
import type { ServerState, StateSource } from '../answer/state.ts'
import { ChangeWait } from '../changes/changes.ts'
import type { CredentialSource } from '../credential/bootstrap-credential.ts'
import type { PreparedAnswer, PreparedAnswers } from './prepared-answers.ts'

export interface ConfigServiceOptions {
  readonly source: StateSource
  /** Absent if the source provides the whole kubeconfig. */
  readonly credential?: CredentialSource
  readonly answers: PreparedAnswers
  readonly clock: Clock
  readonly metrics: Metrics
}

/** How often the age of the state is exposed. */
const metricsIntervalMs = 15_000

/** Finds the answer to a request, and prepares answers when the state or the credential changes. */
export class ConfigService {
  readonly #options: ConfigServiceOptions
  readonly #age: Gauge
  readonly #bytes: Gauge

  constructor(options: ConfigServiceOptions) {
    this.#options = options
    this.#age = options.metrics.gauge({
      name: 'machinist_server_state_age_seconds',
      help: 'Time since the API server last confirmed the state that configs are served from.',
    })
    this.#bytes = options.metrics.gauge({
      name: 'machinist_server_prepared_bytes',
      help: 'Memory of the prepared configs.',
    })
  }

  /** Why no config can be served; undefined if configs can be served. */
  notReady(): string | undefined {
    const state = this.#options.source.current()
    if (!state) return 'the state of the cluster is not known yet'
    return this.#needsCredential(state) && this.#token() === undefined
      ? noCredential.message
      : undefined
  }

  find(pool: string, accepted: AcceptedVersions): PreparedAnswer {
    const { source, answers } = this.#options
    const state = source.current()
    if (!state) return notSynced
    if (accepted.versions.length === 0) return unsupportedVersion(accepted)
    return answers.find(state, pool, accepted.versions, this.#token())
  }

  /** Seconds since the state was last confirmed. */
  age(): number {
    const { source, clock } = this.#options
    const asOf = source.current()?.asOf ?? clock.now()
    return Math.max(0, Math.floor((clock.now() - asOf) / 1000))
  }

  /** Prepares answers after every change until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, credential, answers, clock } = this.#options
    const wait = new ChangeWait(clock, signal)
    const ends = [source.subscribe(wait.changed), credential?.subscribe(wait.changed)]
    wait.changed()
    while (!signal.aborted) {
      const isChanged = await wait.next(metricsIntervalMs)
      const state = isChanged ? source.current() : undefined
      if (state) await this.#refresh(state, signal)
      this.#age.set({}, this.age())
      this.#bytes.set({}, answers.bytes)
    }
    for (const end of ends) end?.()
  }

  async #refresh(state: ServerState, signal: AbortSignal): Promise<void> {
    const { answers, clock } = this.#options
    for (const _ of answers.refresh(state, this.#token())) {
      // Requests are served between two answers.
      await sleep(clock, 0, signal)
      if (signal.aborted) return
    }
  }

  #needsCredential({ kubeconfig }: ServerState): boolean {
    return kubeconfig.type === 'credential'
  }

  #token(): string | undefined {
    return this.#options.credential?.usable()
  }
}

const notSynced = notYet(
  'NotReady',
  'the state of the cluster is not known yet',
  'Wait until the server has read the pools, and check that it can reach the API server.',
)
