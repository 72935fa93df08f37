import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'

/** A Secret or ConfigMap as it was written. */
export interface Written {
  readonly kind: 'Secret' | 'ConfigMap'
  /** `namespace/name`. */
  readonly place: string
  /** By the clock of the writer. */
  readonly at: number
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** In plain text. */
  readonly data: Readonly<Record<string, string>>
}

/** All written objects with certificates, in order. */
export class Issued {
  readonly written: Written[] = []
  readonly #clock: () => Clock

  constructor(clock: () => Clock) {
    this.#clock = clock
  }

  /** Wraps a transport to record its writes. */
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

  #look({ method, path }: ApiRequest, answer: ApiResponse): void {
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
