import type { KubeObject } from '@machinist/core/resource'

export interface ListOptions {
  readonly namespace?: string
  /** A label selector as `kubectl -l` takes it. */
  readonly labels?: string
  /** A field selector as `kubectl --field-selector` takes it. */
  readonly fields?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface Page<T extends KubeObject> {
  readonly items: T[]
  readonly resourceVersion: string
  /** Where the next page starts; absent on the last one. */
  readonly continue?: string
}

export interface WatchOptions {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
  readonly resourceVersion?: string
  readonly bookmarks?: boolean
  /** The server ends the watch by itself after this time. */
  readonly timeoutSeconds?: number
  /** The connection is given up when not a single byte came for this long: a half-open socket never tells. */
  readonly idleMs?: number
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }

/**
 * What an informer needs of an API server.
 *
 * `watch` ends normally when the server closes the stream at its timeout, when the signal aborts, and when credentials
 * changed and it shall be opened again on the new ones. It throws ApiFailure for a refusal and for
 * an ERROR event (410 Expired), and ConnectionFailure for everything a network does, including a line that is not JSON.
 */
export interface ListWatch<T extends KubeObject> {
  list(options: ListOptions, signal: AbortSignal): Promise<Page<T>>
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}
