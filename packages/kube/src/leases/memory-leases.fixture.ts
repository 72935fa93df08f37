import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import type { Lease } from '../kinds/coordination.ts'
import type { LeaseApi } from './lease-term.ts'

/** The fate of one request: latency in each direction, and whether the request or the response is lost. */
export interface RequestFate {
  readonly requestMs?: number
  readonly responseMs?: number
  readonly lost?: 'request' | 'response'
  readonly errorCode?: number
}

type Verb = 'GET' | 'POST' | 'PUT'

/** An in-memory server for Leases with the versions and conflicts of Kubernetes. */
export class MemoryLeases {
  readonly #clock: Clock
  readonly #leases = new Map<string, Lease>()
  #version = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  stored(key: string): Lease | undefined {
    return structuredClone(this.#leases.get(key))
  }

  /** Writes a Lease directly, without a client. */
  put(lease: Lease): void {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) }
    this.#leases.set(keyText(keyOf(lease)), structuredClone({ ...lease, metadata }))
  }

  remove(key: string): void {
    this.#leases.delete(key)
  }

  /** A client of the server; `fate` is called for every request. */
  client(fate: (verb: Verb) => RequestFate = () => ({})): LeaseApi {
    const pass = (
      verb: Verb,
      key: ObjectKey,
      signal: AbortSignal,
      serve: (path: string) => Lease,
    ): Promise<Lease> => this.#pass({ verb, key, fate: fate(verb), signal, serve })
    return {
      get: (_resource, key, { signal }) =>
        pass('GET', key, signal, (path) => this.#find(path, keyText(key))),
      create: (_resource, lease, { signal }) =>
        pass('POST', keyOf(lease), signal, (path) => this.#create(path, lease)),
      replace: (_resource, lease, { signal }) =>
        pass('PUT', keyOf(lease), signal, (path) => this.#replace(path, lease)),
    }
  }

  async #pass(call: {
    readonly verb: Verb
    readonly key: ObjectKey
    readonly fate: RequestFate
    readonly signal: AbortSignal
    readonly serve: (path: string) => Lease
  }): Promise<Lease> {
    const { verb, key, fate, signal, serve } = call
    const path = `/apis/coordination.k8s.io/v1/leases/${keyText(key)}`
    const request = { method: verb, path }
    // A request in flight reaches the server even if the client has aborted it.
    if (fate.requestMs) await sleep(this.#clock, fate.requestMs)
    if (fate.lost === 'request') return await waitForAbort(request, signal)
    if (fate.errorCode !== undefined) throw failure(verb, path, fate.errorCode, 'Refused')
    const response = structuredClone(serve(path))
    if (fate.lost === 'response') return await waitForAbort(request, signal)
    if (fate.responseMs) await sleep(this.#clock, fate.responseMs, signal)
    if (signal.aborted) throw new ConnectionFailure(request, 'aborted')
    return response
  }

  #find(path: string, key: string): Lease {
    const lease = this.#leases.get(key)
    if (!lease) throw failure('GET', path, 404, 'NotFound')
    return lease
  }

  #create(path: string, lease: Lease): Lease {
    const key = keyText(keyOf(lease))
    if (this.#leases.has(key)) throw failure('POST', path, 409, 'AlreadyExists')
    this.put({ ...lease, metadata: { ...lease.metadata, uid: `uid-${this.#version}` } })
    return this.#leases.get(key)!
  }

  #replace(path: string, lease: Lease): Lease {
    const key = keyText(keyOf(lease))
    const stored = this.#leases.get(key)
    if (!stored) throw failure('PUT', path, 404, 'NotFound')
    if (stored.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      throw failure('PUT', path, 409, 'Conflict')
    }
    this.put(lease)
    return this.#leases.get(key)!
  }
}

/** A request without a response ends when the client aborts it. */
function waitForAbort(
  request: { method: string; path: string },
  signal: AbortSignal,
): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(new ConnectionFailure(request, 'no response'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

function failure(method: string, path: string, code: number, reason: string): ApiFailure {
  return new ApiFailure({ method, path }, code, { code, reason, message: reason })
}
