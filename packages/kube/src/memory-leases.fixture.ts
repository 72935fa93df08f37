import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { ObjectKey } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import { ApiFailure, ConnectionFailure } from './failure.ts'
import type { Lease } from './kinds/coordination.ts'
import type { LeaseApi } from './lease-election-term.ts'

/** What happens to one request: how long each way takes, and whether it or its answer is lost. */
export interface Passage {
  readonly thereMs?: number
  readonly backMs?: number
  readonly lost?: 'request' | 'answer'
  readonly refusedWith?: number
}

type Verb = 'GET' | 'POST' | 'PUT'

/** Leases on a server, with versions and conflicts as Kubernetes has them. */
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

  /** Changes a lease behind everybody's back. */
  put(lease: Lease): void {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) }
    this.#leases.set(keyText(keyOf(lease)), structuredClone({ ...lease, metadata }))
  }

  remove(key: string): void {
    this.#leases.delete(key)
  }

  /** The server as one client reaches it; `passage` is asked for every request. */
  reachedBy(passage: (verb: Verb) => Passage = () => ({})): LeaseApi {
    const pass = (
      verb: Verb,
      key: ObjectKey,
      signal: AbortSignal,
      serve: (path: string) => Lease,
    ): Promise<Lease> => this.#pass({ verb, key, passage: passage(verb), signal, serve })
    return {
      get: (_resource, key, { signal }) =>
        pass('GET', key, signal, (path) => this.#find(path, keyText(key))),
      create: (_resource, lease, { signal }) =>
        pass('POST', keyOf(lease), signal, (path) => this.#create(path, lease)),
      replace: (_resource, lease, { signal }) =>
        pass('PUT', keyOf(lease), signal, (path) => this.#replace(path, lease)),
    }
  }

  async #pass(request: {
    readonly verb: Verb
    readonly key: ObjectKey
    readonly passage: Passage
    readonly signal: AbortSignal
    readonly serve: (path: string) => Lease
  }): Promise<Lease> {
    const { verb, key, passage, signal, serve } = request
    const path = `/apis/coordination.k8s.io/v1/leases/${keyText(key)}`
    const asked = { method: verb, path }
    // What is on its way arrives, even if the sender has given up meanwhile.
    if (passage.thereMs) await sleep(this.#clock, passage.thereMs)
    if (passage.lost === 'request') return await never(asked, signal)
    if (passage.refusedWith !== undefined) throw failure(verb, path, passage.refusedWith, 'Refused')
    const answer = structuredClone(serve(path))
    if (passage.lost === 'answer') return await never(asked, signal)
    if (passage.backMs) await sleep(this.#clock, passage.backMs, signal)
    if (signal.aborted) throw new ConnectionFailure(asked, 'aborted')
    return answer
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

/** A request without an answer: only the sender's patience ends it. */
function never(asked: { method: string; path: string }, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(new ConnectionFailure(asked, 'no answer'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

function failure(method: string, path: string, code: number, reason: string): ApiFailure {
  return new ApiFailure({ method, path }, code, { code, reason, message: reason })
}
