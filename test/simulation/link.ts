import { ConnectionFailure } from '@machinist/kube/failure'
import { apiFailure } from '@machinist/kube/transport-failure'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'
import { askedOf } from '@machinist/kube/transport'
import type { Clock } from '@machinist/core/clock'
import type { MemoryApi } from './api/memory-api.ts'
import { Refused, unavailable } from './api/refused.ts'
import { bodyText, wantsMetadata } from './api/wire.ts'
import type { Process } from './process.ts'
import { never } from './process.ts'
import type { Fate, Weather } from './weather.ts'
import { WatchLink } from './watch-link.ts'

export interface LinkOptions {
  readonly api: MemoryApi
  /** The world's own clock: what is on its way arrives, whether or not its sender still lives. */
  readonly clock: Clock
  readonly weather: Weather
  readonly process: Process
  /** In whose name writes are made. */
  readonly actor: string
  /** Which end of the network this is. */
  readonly place: string
  /** Called before each request: here the process may die. */
  readonly step?: (what: string) => void
}

const defaultTimeoutMs = 60_000

/** How one process reaches the simulated API: in time, late, twice or not at all. */
export class Link implements Transport {
  readonly #options: LinkOptions

  constructor(options: LinkOptions) {
    this.#options = options
  }

  request(request: Request): Promise<Answer> {
    const { process, step } = this.#options
    const { signal, timeoutMs = defaultTimeoutMs } = request
    if (process.isAlive) step?.(`${request.method} ${request.path}`)
    if (!process.isAlive) return never()
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const settle = (end: () => void): void => {
        cancel()
        signal?.removeEventListener('abort', abort)
        end()
      }
      const abort = (): void => settle(() => reject(signal!.reason as Error))
      const cancel = process.after(timeoutMs, () =>
        settle(() => reject(noAnswer(request, timeoutMs))),
      )
      signal?.addEventListener('abort', abort, { once: true })
      this.#send(request, (answer) => {
        if (answer instanceof Error) settle(() => reject(answer))
        else settle(() => resolve(answer))
      })
    })
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    const { process, step } = this.#options
    if (process.isAlive) step?.(`WATCH ${request.path}`)
    return new WatchLink(request, this.#options).chunks()
  }

  close(): void {}

  #send(request: Request, answered: (answer: Answer | Error) => void): void {
    const { api, clock, weather, process, place } = this.#options
    const fate = weather.request()
    const { restores } = api
    clock.after(fate.travelMs, () => {
      if (!weather.reaches(place)) return
      if (api.restores !== restores) return process.reach(() => answered(connectionCut(request)))
      const answer = this.#carryOut(request, fate)
      if (fate.loseAnswer) return
      const arrive = (): void => {
        if (weather.reaches(place)) process.reach(() => answered(answer))
      }
      if (fate.answerMs === 0) arrive()
      else clock.after(fate.answerMs, arrive)
    })
  }

  #carryOut(request: Request, { refuse }: Fate): Answer | Error {
    const { api, actor } = this.#options
    try {
      if (refuse !== undefined) throw unavailable(refuse)
      if (request.path.endsWith('/events')) {
        api.whenTold(request.body)
        return nobodyReads
      }
      const body = bodyText(api.handle(request, actor), wantsMetadata(request.accept))
      return { code: 200, contentType: 'application/json', body: Buffer.from(body) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return failureFor(request, error)
    }
  }
}

export function failureFor(request: Pick<Request, 'method' | 'path'>, { status }: Refused): Error {
  const body = Buffer.from(JSON.stringify(status))
  return apiFailure(askedOf(request), { code: status.code, body })
}

/** Events are for people. */
const nobodyReads: Answer = { code: 201, contentType: 'application/json', body: Buffer.from('{}') }

const connectionCut = (request: Request): ConnectionFailure =>
  new ConnectionFailure(askedOf(request), 'the API server was stopped')

const noAnswer = (request: Request, ms: number): ConnectionFailure =>
  new ConnectionFailure(askedOf(request), `no whole answer within ${ms / 1000} s`)
