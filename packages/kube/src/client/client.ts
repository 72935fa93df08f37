import type { Clock } from '@machinist/core/clock'
import { isObject } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { systemRandom } from '@machinist/core/random'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf, keyOf } from '@machinist/core/objects/resource'
import type { ListOptions, ListWatch, Page, WatchEvent, WatchOptions } from '../list-watch.ts'
import type { Patch } from '../patch.ts'
import type { ApiResponse, QueryParameters, ApiRequest, Transport } from '../transport/transport.ts'
import { requestLine, parseJsonBody } from '../transport/transport.ts'
import { watchEvents } from '../watch/watch-stream.ts'
import { listPages } from './pages.ts'
import type { Subresource } from './path.ts'
import { resourcePath } from './path.ts'
import type { Representation } from './representation.ts'
import { metadataRepresentation, parsePage, fullRepresentation } from './representation.ts'
import { listQuery, watchQuery } from './query.ts'

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
  /** Process the request without storing the result. */
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

export interface RemoveOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  /** Delete only the object with this UID, not a later object with the same name. */
  readonly uid?: string
  readonly resourceVersion?: string
  readonly graceSeconds?: number
}

/** Restricts a ListWatch. The options of each call are added to it. */
export interface ListWatchScope {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
  readonly metadataOnly?: boolean
}

type WithCallOptions<Options> = Options & CallOptions

/** The verbs of the Kubernetes API, typed by resource. Objects are returned as sent: timestamps stay strings. */
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
    return this.#get(fullRepresentation(resource), key, options)
  }

  /** Metadata only: the cost does not depend on the size of the object. */
  getMetadata(
    resource: Resource,
    key: ObjectKey,
    options: Omit<GetOptions, 'subresource'> = {},
  ): Promise<KubeObject> {
    return this.#get(metadataRepresentation(resource), key, options)
  }

  /** One page of a list. */
  list<T extends KubeObject>(
    resource: Resource<T>,
    options: WithCallOptions<ListOptions> = {},
  ): Promise<Page<T>> {
    return this.#list(fullRepresentation(resource), options)
  }

  listMetadata(
    resource: Resource,
    options: WithCallOptions<ListOptions> = {},
  ): Promise<Page<KubeObject>> {
    return this.#list(metadataRepresentation(resource), options)
  }

  /** Yields every object, page by page. An object that exists the whole time is yielded exactly once, even if pages expire. */
  async *listAll<T extends KubeObject>(
    resource: Resource<T>,
    options: WithCallOptions<ListOptions> = {},
  ): AsyncGenerator<T> {
    for await (const items of listPages((page) => this.list(resource, page), options)) yield* items
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<T> {
    const path = resourcePath(resource, { namespace: object.metadata.namespace })
    return this.#write({ method: 'POST', path, body: withTypeMeta(resource, object) }, options)
  }

  /** Posts to a subresource that is an action, such as `eviction` or `token`. */
  async act<Result = unknown>(
    resource: Resource,
    key: ObjectKey,
    body: object,
    options: WriteOptions & { readonly subresource: Subresource },
  ): Promise<Result> {
    const path = resourcePath(resource, { ...key, subresource: options.subresource })
    return (await this.#requestJson({
      method: 'POST',
      path,
      body,
      ...writeParameters(options),
    })) as Result
  }

  /** Fails with a conflict if the object has a resourceVersion that is not the newest. */
  replace<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = resourcePath(resource, { ...keyOf(object), subresource: options.subresource })
    return this.#write({ method: 'PUT', path, body: withTypeMeta(resource, object) }, options)
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#patch(fullRepresentation(resource), key, patch, options)
  }

  /** Returns metadata only: the server does not send the rest of the object, such as a private key. */
  patchMetadata(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<KubeObject> {
    return this.#patch(metadataRepresentation(resource), key, patch, options)
  }

  /** Deletes an object. Returns it while deletion is pending (finalizers, grace period), `undefined` when it is gone. */
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
    const response = await this.#requestJson({ method: 'DELETE', path, body, ...call })
    const isGone = isObject(response) && response['kind'] === 'Status'
    return isGone ? undefined : (response as T)
  }

  /** Lists and watches of one resource for an informer, as full objects or metadata only. */
  listWatch(
    resource: Resource,
    scope: ListWatchScope & { readonly metadataOnly: true },
  ): ListWatch<KubeObject>
  listWatch<T extends KubeObject>(resource: Resource<T>, scope?: ListWatchScope): ListWatch<T>
  listWatch(resource: Resource, scope: ListWatchScope = {}): ListWatch<KubeObject> {
    const representation = scope.metadataOnly
      ? metadataRepresentation(resource)
      : fullRepresentation(resource)
    return {
      list: (options, signal) =>
        this.#list(representation, { ...options, ...withScope(scope, options), signal }),
      watch: (options, signal) =>
        this.#watch(representation, { ...options, ...withScope(scope, options) }, signal),
    }
  }

  /** Watch events after `resourceVersion`. Ends at the server's timeout, or immediately when the signal aborts. */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    return this.#watch(fullRepresentation(resource), options, signal)
  }

  /** A request to a path that is not a resource: `/version`, `/readyz`. */
  raw(request: ApiRequest): Promise<ApiResponse> {
    return this.#transport.request(request)
  }

  async #get<T extends KubeObject>(
    representation: Representation<T>,
    key: ObjectKey,
    { subresource, resourceVersion, ...call }: GetOptions,
  ): Promise<T> {
    const path = resourcePath(representation.resource, { ...key, subresource })
    const query = { resourceVersion }
    return (await this.#requestJson({
      method: 'GET',
      path,
      query,
      accept: representation.accept,
      ...call,
    })) as T
  }

  #patch<T extends KubeObject>(
    representation: Representation<T>,
    key: ObjectKey,
    { contentType, body, force, fieldManager }: Patch,
    options: WriteOptions,
  ): Promise<T> {
    const path = resourcePath(representation.resource, { ...key, subresource: options.subresource })
    const { accept } = representation
    return this.#write(
      { method: 'PATCH', path, body, contentType, accept, query: { force } },
      { fieldManager, ...options },
    )
  }

  async #list<T extends KubeObject>(
    representation: Representation<T>,
    options: WithCallOptions<ListOptions>,
  ): Promise<Page<T>> {
    const path = resourcePath(representation.resource, { namespace: options.namespace })
    const { signal, timeoutMs } = options
    const request = {
      method: 'GET',
      path,
      query: listQuery(options),
      accept: representation.listAccept,
    } as const
    return parsePage(
      requestLine(request),
      representation,
      await this.#requestJson({ ...request, signal, timeoutMs }),
    )
  }

  #watch<T extends KubeObject>(
    representation: Representation<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    const { idleMs, namespace } = options
    const path = resourcePath(representation.resource, { namespace })
    const request = {
      method: 'GET',
      path,
      query: watchQuery(options),
      accept: representation.accept,
    } as const
    const bytes = this.#transport.stream({ ...request, signal, idleMs })
    return watchEvents(bytes, { request: requestLine(request), logger: this.#logger })
  }

  async #write<T extends KubeObject>(request: ApiRequest, options: WriteOptions): Promise<T> {
    const { query, ...call } = writeParameters(options)
    return (await this.#requestJson({
      ...request,
      ...call,
      query: { ...request.query, ...query },
    })) as T
  }

  async #requestJson(request: ApiRequest): Promise<unknown> {
    return parseJsonBody(requestLine(request), await this.#transport.request(request))
  }
}

function writeParameters(options: WriteOptions): CallOptions & { readonly query: QueryParameters } {
  const { dryRun, fieldManager, fieldValidation, signal, timeoutMs } = options
  const query = { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation }
  return { query, signal, timeoutMs }
}

/** The scope, with the options of a call taking precedence. */
function withScope(scope: ListWatchScope, options: ListOptions | WatchOptions): ListWatchScope {
  return {
    namespace: options.namespace ?? scope.namespace,
    labels: options.labels ?? scope.labels,
    fields: options.fields ?? scope.fields,
  }
}

/** Adds apiVersion and kind, which servers require in the body. */
function withTypeMeta<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
}
