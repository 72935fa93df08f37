import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import { KubeClient } from '@machinist/kube/client'
import type { ReconcileContext } from '@machinist/kube/controller/controller'
import { ApiFailure } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Transport } from '@machinist/kube/transport'

/** What to answer: an object, or the code and reason of a refusal. */
type Given = object | Refusal
type Refusal = readonly [code: number, reason: string]

const isRefusal = (given: Given): given is Refusal => Array.isArray(given)

/** A server that answers one request after the other with what it was given, and notes what it was asked. */
export class AnsweringServer implements Transport {
  /** `PUT /apis/…/status`. */
  readonly asked: string[] = []
  readonly bodies: unknown[] = []
  readonly client: KubeClient
  readonly #answers: Given[]

  constructor(...answers: readonly Given[]) {
    this.#answers = [...answers]
    const random = seededRandom(7)
    this.client = new KubeClient({ transport: this, clock: systemClock, random })
  }

  request: Transport['request'] = ({ method, path, body }) => {
    this.asked.push(`${method} ${path}`)
    this.bodies.push(body)
    const answer = this.#answers.shift()
    if (!answer) throw new Error(`nobody expected ${method} ${path}`)
    if (isRefusal(answer)) {
      const [code, reason] = answer
      return Promise.reject(new ApiFailure({ method, path }, code, { reason, message: 'quotes' }))
    }
    const text = Buffer.from(JSON.stringify(answer))
    return Promise.resolve({ code: 200, contentType: 'application/json', body: text })
  }

  stream = (): never => {
    throw new Error('nothing is followed here')
  }

  close = (): void => undefined
}

/** A cache in which nothing changes. */
export const still = <T extends KubeObject>(
  ...objects: readonly T[]
): Pick<Informer<T>, 'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'> => ({
  get: (key) =>
    objects.find((one) => keyText(keyOf(one)) === (typeof key === 'string' ? key : keyText(key))),
  list: () => [...objects],
  hasSynced: true,
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})

/** For one call of `reconcile`. */
export const context: ReconcileContext = {
  log: silentLogger,
  signal: new AbortController().signal,
  retries: 0,
}
