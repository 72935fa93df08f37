import type { Clock } from '@machinist/core/clock'
import { isObject } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { systemRandom } from '@machinist/core/random'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import { apiVersionOf, keyOf } from '@machinist/core/resource'
import { pagesOf } from './client-pages.ts'
import type { Subresource } from './client-path.ts'
import { resourcePath } from './client-path.ts'
import type { View } from './client-view.ts'
import { metadataView, pageIn, wholeView } from './client-view.ts'
import { listQuery, watchQuery } from './client-query.ts'
import type { ListOptions, ListWatch, Page, WatchEvent, WatchOptions } from './list-watch.ts'
import type { Patch } from './patch.ts'
import type { Answer, Query, Request, Transport } from './transport.ts'
import { askedOf, jsonOf } from './transport.ts'
import { watchEvents } from './watch-stream.ts'

export interface ClientOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random?: Random
  readonly logger?: Logger
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export interface GetOptions extends CallOptions {
  readonly subresource?: Subresource
  readonly resourceVersion?: string
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: Subresource
  /** The server does everything but store it. */
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

export interface RemoveOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  /** Remove only this very object, not a namesake that came after it. */
  readonly uid?: string
  readonly resourceVersion?: string
  readonly graceSeconds?: number
}

/** What a ListWatch is bound to. The informer's own options are added to each call. */
export interface Scope {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
  readonly metadataOnly?: boolean
}

type Called<Options> = Options & CallOptions

/** Kubernetes' verbs, typed by resource. Objects are exactly what is on the wire: timestamps stay strings. */
export class KubeClient {
  readonly clock: Clock
  readonly random: Random
  readonly #transport: Transport
  readonly #logger: Logger | undefined

  constructor(options: ClientOptions) {
    this.clock = options.clock
    this.random = options.random ?? systemRandom
    this.#transport = options.transport
    this.#logger = options.logger
  }

  get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<T> {
    return this.#get(wholeView(resource), key, options)
  }

  /** Only the metadata: what it costs to look does not grow with the object. */
  getMetadata(
    resource: Resource,
    key: ObjectKey,
    options: Omit<GetOptions, 'subresource'> = {},
  ): Promise<KubeObject> {
    return this.#get(metadataView(resource), key, options)
  }

  /** One page. */
  list<T extends KubeObject>(
    resource: Resource<T>,
    options: Called<ListOptions> = {},
  ): Promise<Page<T>> {
    return this.#list(wholeView(resource), options)
  }

  listMetadata(resource: Resource, options: Called<ListOptions> = {}): Promise<Page<KubeObject>> {
    return this.#list(metadataView(resource), options)
  }

  /** Every object, page by page. Whatever exists all along is given exactly once, even if the pages expire under way. */
  async *listAll<T extends KubeObject>(
    resource: Resource<T>,
    options: Called<ListOptions> = {},
  ): AsyncGenerator<T> {
    for await (const items of pagesOf((page) => this.list(resource, page), options)) yield* items
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<T> {
    const path = resourcePath(resource, { namespace: object.metadata.namespace })
    return this.#write({ method: 'POST', path, body: typed(resource, object) }, options)
  }

  /** Posts to a subresource that is an action: eviction, token. */
  async act<Result = unknown>(
    resource: Resource,
    key: ObjectKey,
    body: object,
    options: WriteOptions & { readonly subresource: Subresource },
  ): Promise<Result> {
    const path = resourcePath(resource, { ...key, subresource: options.subresource })
    return (await this.#asked({ method: 'POST', path, body, ...written(options) })) as Result
  }

  /** Refused with a conflict when the object carries a resourceVersion and is no longer the newest. */
  replace<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = resourcePath(resource, { ...keyOf(object), subresource: options.subresource })
    return this.#write({ method: 'PUT', path, body: typed(resource, object) }, options)
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#patch(wholeView(resource), key, patch, options)
  }

  /** Only the metadata comes back: what else the object holds, such as a private key, is not even sent. */
  patchMetadata(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<KubeObject> {
    return this.#patch(metadataView(resource), key, patch, options)
  }

  /** Gives the object back while it lives on (finalizers, grace), and `undefined` when it is gone at once. */
  async remove<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: RemoveOptions = {},
  ): Promise<T | undefined> {
    const { uid, resourceVersion, propagation, graceSeconds, dryRun, ...call } = options
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: propagation,
      gracePeriodSeconds: graceSeconds,
      preconditions: (uid ?? resourceVersion) ? { uid, resourceVersion } : undefined,
      dryRun: dryRun ? ['All'] : undefined,
    }
    const path = resourcePath(resource, key)
    const answer = await this.#asked({ method: 'DELETE', path, body, ...call })
    const gone = isObject(answer) && answer['kind'] === 'Status'
    return gone ? undefined : (answer as T)
  }

  /** What an informer needs: lists and watches of one resource, whole or as metadata only. */
  listWatch(
    resource: Resource,
    scope: Scope & { readonly metadataOnly: true },
  ): ListWatch<KubeObject>
  listWatch<T extends KubeObject>(resource: Resource<T>, scope?: Scope): ListWatch<T>
  listWatch(resource: Resource, scope: Scope = {}): ListWatch<KubeObject> {
    const view = scope.metadataOnly ? metadataView(resource) : wholeView(resource)
    return {
      list: (options, signal) =>
        this.#list(view, { ...options, ...within(scope, options), signal }),
      watch: (options, signal) =>
        this.#watch(view, { ...options, ...within(scope, options) }, signal),
    }
  }

  /** Events from `resourceVersion` on. Ends when the server's time is up, or at once when the signal aborts. */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    return this.#watch(wholeView(resource), options, signal)
  }

  /** Anything that is not a resource: `/version`, `/readyz`. */
  raw(request: Request): Promise<Answer> {
    return this.#transport.request(request)
  }

  async #get<T extends KubeObject>(
    view: View<T>,
    key: ObjectKey,
    { subresource, resourceVersion, ...call }: GetOptions,
  ): Promise<T> {
    const path = resourcePath(view.resource, { ...key, subresource })
    const query = { resourceVersion }
    return (await this.#asked({ method: 'GET', path, query, accept: view.accept, ...call })) as T
  }

  #patch<T extends KubeObject>(
    view: View<T>,
    key: ObjectKey,
    { contentType, body, force, fieldManager }: Patch,
    options: WriteOptions,
  ): Promise<T> {
    const path = resourcePath(view.resource, { ...key, subresource: options.subresource })
    const { accept } = view
    return this.#write(
      { method: 'PATCH', path, body, contentType, accept, query: { force } },
      { fieldManager, ...options },
    )
  }

  async #list<T extends KubeObject>(view: View<T>, options: Called<ListOptions>): Promise<Page<T>> {
    const path = resourcePath(view.resource, { namespace: options.namespace })
    const { signal, timeoutMs } = options
    const request = {
      method: 'GET',
      path,
      query: listQuery(options),
      accept: view.listAccept,
    } as const
    return pageIn(askedOf(request), view, await this.#asked({ ...request, signal, timeoutMs }))
  }

  #watch<T extends KubeObject>(
    view: View<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    const { idleMs, namespace } = options
    const path = resourcePath(view.resource, { namespace })
    const request = {
      method: 'GET',
      path,
      query: watchQuery(options),
      accept: view.accept,
    } as const
    const bytes = this.#transport.stream({ ...request, signal, idleMs })
    return watchEvents(bytes, { asked: askedOf(request), logger: this.#logger })
  }

  async #write<T extends KubeObject>(request: Request, options: WriteOptions): Promise<T> {
    const { query, ...call } = written(options)
    return (await this.#asked({ ...request, ...call, query: { ...request.query, ...query } })) as T
  }

  async #asked(request: Request): Promise<unknown> {
    return jsonOf(askedOf(request), await this.#transport.request(request))
  }
}

function written(options: WriteOptions): CallOptions & { readonly query: Query } {
  const { dryRun, fieldManager, fieldValidation, signal, timeoutMs } = options
  const query = { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation }
  return { query, signal, timeoutMs }
}

/** What the scope says holds, unless one call says otherwise. */
function within(scope: Scope, options: ListOptions | WatchOptions): Scope {
  return {
    namespace: options.namespace ?? scope.namespace,
    labels: options.labels ?? scope.labels,
    fields: options.fields ?? scope.fields,
  }
}

/** A server wants to be told the kind of what it is sent, although the address says it. */
function typed<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
}
