import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'
import type { Time } from './time.ts'

/** The line from one component to the API server: what it asked is kept, and time stands still until it is answered. */
export class Line implements Transport {
  readonly #inner: Transport
  readonly #time: Time
  #asked: Request[] = []
  #count = 0

  constructor(inner: Transport, time: Time) {
    this.#inner = inner
    this.#time = time
  }

  request(request: Request): Promise<Answer> {
    this.#count++
    this.#asked.push(request)
    return this.#time.still(this.#inner.request(request))
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** Shared by all lines: who opened it closes it. */
  close(): void {}

  /** Of all times. */
  get count(): number {
    return this.#count
  }

  forget(): void {
    this.#asked = []
  }

  /** `PATCH nodetrusts/worker-0/status`: everything since it was last forgotten, except lists. */
  asked(): string[] {
    return this.#asked.flatMap(({ method, path, query, accept = '' }) => {
      if (method === 'GET' && isList(path)) return []
      const view = accept.includes('PartialObjectMetadata') ? ' (metadata)' : ''
      const dry = query?.['dryRun'] === undefined ? '' : ' (dry run)'
      return [`${method} ${inWords(path)}${view}${dry}`]
    })
  }

  /** Requests that take a node out of service, or a pod off it. */
  disruptions(): string[] {
    return this.#asked.flatMap(({ method, path, body }) => {
      const isEviction = path.endsWith('/eviction')
      const isCordon = method !== 'GET' && JSON.stringify(body ?? '').includes('"unschedulable"')
      return isEviction || isCordon ? [`${method} ${inWords(path)}`] : []
    })
  }
}

const ofObject = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?(?=[^/]+)/

const inWords = (path: string): string => path.replace(ofObject, '')

const isList = (path: string): boolean => !inWords(path).includes('/')
