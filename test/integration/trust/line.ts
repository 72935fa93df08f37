import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import type { Time } from './time.ts'

/** The connection of one component to the API server: records requests, and stops virtual time until each response. */
export class Line implements Transport {
  readonly #inner: Transport
  readonly #time: Time
  #requests: ApiRequest[] = []
  #count = 0

  constructor(inner: Transport, time: Time) {
    this.#inner = inner
    this.#time = time
  }

  request(request: ApiRequest): Promise<ApiResponse> {
    this.#count++
    this.#requests.push(request)
    return this.#time.still(this.#inner.request(request))
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The inner transport is shared; its owner closes it. */
  close(): void {}

  /** All recorded requests. */
  get count(): number {
    return this.#count
  }

  forget(): void {
    this.#requests = []
  }

  /** `PATCH nodetrusts/worker-0/status`: the requests since the last reset, except lists. */
  requests(): string[] {
    return this.#requests.flatMap(({ method, path, query, accept = '' }) => {
      if (method === 'GET' && isList(path)) return []
      const view = accept.includes('PartialObjectMetadata') ? ' (metadata)' : ''
      const dry = query?.['dryRun'] === undefined ? '' : ' (dry run)'
      return [`${method} ${shortPath(path)}${view}${dry}`]
    })
  }

  /** Requests that cordon a node or evict a pod. */
  disruptions(): string[] {
    return this.#requests.flatMap(({ method, path, body }) => {
      const isEviction = path.endsWith('/eviction')
      const isCordon = method !== 'GET' && JSON.stringify(body ?? '').includes('"unschedulable"')
      return isEviction || isCordon ? [`${method} ${shortPath(path)}`] : []
    })
  }
}

const ofObject = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?(?=[^/]+)/

const shortPath = (path: string): string => path.replace(ofObject, '')

const isList = (path: string): boolean => !shortPath(path).includes('/')
