import type { Cancel } from '@machinist/core/clock'
import type { Access, Connection } from './connection/connection.ts'
import type { Answered, Outcome, Question } from './transport-exchange.ts'
import { exchange } from './transport-exchange.ts'
import { Lane } from './transport-lane.ts'
import type { RequestMeter } from './transport-meter.ts'

/** Keeps the lane of the newest access, and asks again where only our side was out of date. */
export class Dialer {
  readonly #connection: Connection
  readonly #meter: RequestMeter
  #lane: Lane | undefined

  constructor(connection: Connection, meter: RequestMeter) {
    this.#connection = connection
    this.#meter = meter
  }

  /**
   * A 401 or a TLS failure may only mean that our credentials are older than the files they came from: they are read
   * again, and if anything is new, the question is asked once more.
   */
  async ask(question: Question): Promise<Answered> {
    const { signal } = question
    const access = await unlessAborted(this.#connection.access(), signal)
    const first = await this.#attempt(question, access)
    if (!mayBeOutdated(first)) return settled(first)
    const renewed = await unlessAborted(this.#connection.renew(access), signal)
    if (renewed === access) return settled(first)
    if ('response' in first) first.response.resume()
    return settled(await this.#attempt(question, renewed))
  }

  /** Calls back with every new access; connections on the old one are dropped by then. */
  follow(changed: (access: Access) => void): Cancel {
    return this.#connection.follow((access) => {
      this.#laneFor(access)
      changed(access)
    })
  }

  close(): void {
    this.#lane?.retire()
    this.#lane = undefined
  }

  async #attempt(question: Question, access: Access): Promise<Outcome> {
    const lane = this.#laneFor(access)
    const outcome = await this.#metered(question, lane)
    const again = 'failure' in outcome && outcome.stale && question.request.method === 'GET'
    return again ? await this.#metered(question, lane) : outcome
  }

  async #metered(question: Question, lane: Lane): Promise<Outcome> {
    const done = this.#meter(question.request.method, lane.host)
    try {
      const outcome = await exchange(lane, question)
      done('response' in outcome ? String(outcome.response.statusCode) : '<error>')
      return outcome
    } catch (aborted) {
      done('<error>')
      throw aborted
    }
  }

  #laneFor(access: Access): Lane {
    if (this.#lane?.access === access) return this.#lane
    const lane = new Lane(access)
    this.#lane?.retire()
    this.#lane = lane
    return lane
  }
}

function mayBeOutdated(outcome: Outcome): boolean {
  return 'response' in outcome ? outcome.response.statusCode === 401 : outcome.tls
}

function settled(outcome: Outcome): Answered {
  if ('failure' in outcome) throw outcome.failure
  return outcome
}

/** Credentials may take their time (a plugin that asks a person); who gave up does not wait for them. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const settle = (): void => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(settle)
  })
}
