import { ConnectionFailure } from '@machinist/kube/failure'
import { apiFailure } from '@machinist/kube/transport/transport-failure'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import { requestLine } from '@machinist/kube/transport/transport'
import type { Clock } from '@machinist/core/clock'
import type { MemoryApi } from './api/memory-api.ts'
import { Refused, unavailable } from './api/refused.ts'
import { bodyText, wantsMetadata } from './api/wire.ts'
import type { Process } from './process.ts'
import { never } from './process.ts'
import type { RequestFate, SimulatedNetwork } from './network.ts'
import { WatchLink } from './watch-link.ts'

export interface LinkOptions {
  readonly api: MemoryApi
  /** The clock of the simulation: a sent request arrives even if its sender was killed. */
  readonly clock: Clock
  readonly network: SimulatedNetwork
  readonly process: Process
  /** The actor name of its writes. */
  readonly actor: string
  /** The name of this endpoint in the network. */
  readonly place: string
  /** Called before each request; it may kill the process. */
  readonly step?: (what: string) => void
}

const defaultTimeoutMs = 60_000

/** The transport of one process to the simulated API, with delays, losses and duplicates. */
export class Link implements Transport {
  readonly #options: LinkOptions

  constructor(options: LinkOptions) {
    this.#options = options
  }

  request(request: ApiRequest): Promise<ApiResponse> {
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

  #send(request: ApiRequest, answered: (answer: ApiResponse | Error) => void): void {
    const { api, clock, network, process, place } = this.#options
    const fate = network.request()
    const { restores } = api
    clock.after(fate.travelMs, () => {
      if (!network.reaches(place)) return
      if (api.restores !== restores) return process.reach(() => answered(connectionCut(request)))
      const answer = this.#carryOut(request, fate)
      if (fate.loseAnswer) return
      const arrive = (): void => {
        if (network.reaches(place)) process.reach(() => answered(answer))
      }
      if (fate.answerMs === 0) arrive()
      else clock.after(fate.answerMs, arrive)
    })
  }

  #carryOut(request: ApiRequest, { refuse }: RequestFate): ApiResponse | Error {
    const { api, actor } = this.#options
    try {
      if (refuse !== undefined) throw unavailable(refuse)
      if (request.path.endsWith('/events')) {
        api.onEvent(request.body)
        return eventAccepted
      }
      const body = bodyText(api.handle(request, actor), wantsMetadata(request.accept))
      return { code: 200, contentType: 'application/json', body: Buffer.from(body) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return failureFor(request, error)
    }
  }
}

export function failureFor(
  request: Pick<ApiRequest, 'method' | 'path'>,
  { status }: Refused,
): Error {
  const body = Buffer.from(JSON.stringify(status))
  return apiFailure(requestLine(request), { code: status.code, body })
}

/** Events are not stored: no component reads them. */
const eventAccepted: ApiResponse = {
  code: 201,
  contentType: 'application/json',
  body: Buffer.from('{}'),
}

const connectionCut = (request: ApiRequest): ConnectionFailure =>
  new ConnectionFailure(requestLine(request), 'the API server was stopped')

const noAnswer = (request: ApiRequest, ms: number): ConnectionFailure =>
  new ConnectionFailure(requestLine(request), `no complete response within ${ms / 1000} s`)
