import type { KubeObject } from '@machinist/core/resource'
import { ApiFailure } from '@machinist/kube/failure'
import type { Transport } from '@machinist/kube/transport'

/** A server that takes every status, but no new object: it refuses them with this code, in words that quote them. */
export class RefusingServer implements Transport {
  readonly refused: KubeObject[] = []
  readonly statuses: unknown[] = []
  readonly #stored: KubeObject
  readonly #code: number
  readonly #reason: string

  /** `stored` is what there is to read. */
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
    const answer = Buffer.from(JSON.stringify(body ?? this.#stored))
    return Promise.resolve({ code: 200, contentType: 'application/json', body: answer })
  }

  stream = (): never => {
    throw new Error('nothing is followed here')
  }

  close = (): void => undefined

  #refusal(asked: { method: string; path: string }, object: KubeObject): ApiFailure {
    const field = 'spec.config.storage.files[0].contents.source'
    const said = `Invalid value: ${JSON.stringify(object)}: should not be so`
    const reason = 'FieldValueInvalid'
    return new ApiFailure(asked, this.#code, {
      reason: this.#reason,
      message: `"${object.metadata.name}" is invalid: ${field}: ${said}`,
      details: { causes: [{ reason, message: said, field }] },
    })
  }
}
