import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import { KubeClient } from '@machinist/kube/client/client'
import type { ReconcileContext } from '@machinist/kube/controller/controller'
import { ApiFailure } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Transport } from '@machinist/kube/transport/transport'

/** A response: an object, or the code and reason of an error. */
type ScriptedResponse = object | ErrorResponse
type ErrorResponse = readonly [code: number, reason: string]

const isErrorResponse = (response: ScriptedResponse): response is ErrorResponse =>
  Array.isArray(response)

/** A transport that returns the given responses in order and records the requests. */
export class ScriptedServer implements Transport {
  /** `PUT /apis/…/status`. */
  readonly requests: string[] = []
  readonly bodies: unknown[] = []
  readonly client: KubeClient
  readonly #responses: ScriptedResponse[]

  constructor(...responses: readonly ScriptedResponse[]) {
    this.#responses = [...responses]
    const random = seededRandom(7)
    this.client = new KubeClient({ transport: this, clock: systemClock, random })
  }

  request: Transport['request'] = ({ method, path, body }) => {
    this.requests.push(`${method} ${path}`)
    this.bodies.push(body)
    const response = this.#responses.shift()
    if (!response) throw new Error(`unexpected request: ${method} ${path}`)
    if (isErrorResponse(response)) {
      const [code, reason] = response
      return Promise.reject(new ApiFailure({ method, path }, code, { reason, message: 'quotes' }))
    }
    const text = Buffer.from(JSON.stringify(response))
    return Promise.resolve({ code: 200, contentType: 'application/json', body: text })
  }

  stream = (): never => {
    throw new Error('watches are not supported')
  }

  close = (): void => undefined
}

/** A cache without changes. */
export const staticCache = <T extends KubeObject>(
  ...objects: readonly T[]
): Pick<Informer<T>, 'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'> => ({
  get: (key) =>
    objects.find((one) => keyText(keyOf(one)) === (typeof key === 'string' ? key : keyText(key))),
  list: () => [...objects],
  hasSynced: true,
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})

/** The context of one `reconcile` call. */
export const context: ReconcileContext = {
  log: silentLogger,
  signal: new AbortController().signal,
  retries: 0,
}
