import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/log.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeObject } from '../../src/base/resource.ts'
import { keyOf, keyText } from '../../src/base/resource.ts'
import { KubeClient } from '../../src/kube/client.ts'
import type { ReconcileContext } from '../../src/kube/controller/controller.ts'
import { ApiFailure } from '../../src/kube/failure.ts'
import type { Informer } from '../../src/kube/informer/informer.ts'
import type { Transport } from '../../src/kube/transport.ts'

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
