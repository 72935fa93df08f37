import type { KubeObject } from '@machinist/core/objects/resource'
import { ApiFailure } from '@machinist/kube/failure'
import type { Transport } from '@machinist/kube/transport/transport'

/** A server that accepts status updates and rejects new objects with an error whose message quotes the object. */
export class RefusingServer implements Transport {
  readonly refused: KubeObject[] = []
  readonly statuses: unknown[] = []
  readonly #stored: KubeObject
  readonly #code: number
  readonly #reason: string

  /** `stored` is the response to reads. */
  constructor(stored: KubeObject, code: number, reason: string) {
    this.#stored = stored
    this.#code = code
    this.#reason = reason
  }

  request: Transport['request'] = ({ method, path, body }) => {
    if (method === 'POST') {
      const object = body as KubeObject
      this.refused.push(object)
      return Promise.reject(this.#refusal({ method, path }, object))
    }
    if (path.endsWith('/status')) this.statuses.push(body)
    const response = Buffer.from(JSON.stringify(body ?? this.#stored))
    return Promise.resolve({ code: 200, contentType: 'application/json', body: response })
  }

  stream = (): never => {
    throw new Error('watches are not supported')
  }

  close = (): void => undefined

  #refusal(request: { method: string; path: string }, object: KubeObject): ApiFailure {
    const field = 'spec.config.storage.files[0].contents.source'
    const message = `Invalid value: ${JSON.stringify(object)}: is not allowed`
    const reason = 'FieldValueInvalid'
    return new ApiFailure(request, this.#code, {
      reason: this.#reason,
      message: `"${object.metadata.name}" is invalid: ${field}: ${message}`,
      details: { causes: [{ reason, message, field }] },
    })
  }
}
