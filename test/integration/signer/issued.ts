import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'

/** A Secret or ConfigMap as it was when it had been written. */
export interface Written {
  readonly kind: 'Secret' | 'ConfigMap'
  /** `namespace/name`. */
  readonly place: string
  /** By the clock of whoever wrote it. */
  readonly at: number
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** In plain text. */
  readonly data: Readonly<Record<string, string>>
}

/** Everything with certificates in it that somebody ever wrote, in order. */
export class Issued {
  readonly written: Written[] = []
  readonly #clock: () => Clock

  constructor(clock: () => Clock) {
    this.#clock = clock
  }

  /** The same way to the API server, with somebody who looks at it. */
  through(inner: Transport): Transport {
    return {
      request: async (request) => {
        const answer = await inner.request(request)
        this.#look(request, answer)
        return answer
      },
      stream: (request: StreamRequest) => inner.stream(request),
      close: () => inner.close(),
    }
  }

  #look({ method, path }: Request, answer: Answer): void {
    const [, namespace, plural] =
      /^\/api\/v1\/namespaces\/([^/]+)\/(secrets|configmaps)\b/.exec(path) ?? []
    if (!plural || !['POST', 'PUT', 'PATCH'].includes(method)) return
    const object = JSON.parse(Buffer.from(answer.body).toString()) as KubeObject & {
      data?: Record<string, string>
    }
    const kind = plural === 'secrets' ? 'Secret' : 'ConfigMap'
    const { name, annotations = {}, labels = {} } = object.metadata
    const plain = (text: string): string =>
      kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text
    const data = Object.entries(object.data ?? {}).map(([key, text]) => [key, plain(text)] as const)
    this.written.push({
      kind,
      place: `${namespace}/${name}`,
      at: this.#clock().now(),
      annotations,
      labels,
      data: Object.fromEntries(data),
    })
  }
}
