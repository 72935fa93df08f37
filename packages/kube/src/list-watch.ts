import type { KubeObject } from '@machinist/core/objects/resource'

export interface ListOptions {
  readonly namespace?: string
  /** Label selector, in the syntax of `kubectl -l`. */
  readonly labels?: string
  /** Field selector, in the syntax of `kubectl --field-selector`. */
  readonly fields?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface Page<T extends KubeObject> {
  readonly items: T[]
  readonly resourceVersion: string
  /** Token of the next page; absent on the last page. */
  readonly continue?: string
}

export interface WatchOptions {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
  readonly resourceVersion?: string
  readonly bookmarks?: boolean
  /** The server closes the watch after this time. */
  readonly timeoutSeconds?: number
  /** Close the connection when no byte arrives for this long: a half-open socket reports no error. */
  readonly idleMs?: number
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }

/**
 * The list and watch requests of an informer.
 *
 * `watch` ends normally when the server closes the stream at its timeout, when the signal aborts, and when the credentials
 * change and the watch must be reopened with the new ones. It throws ApiFailure for an error response and for an ERROR
 * event (410 Expired), and ConnectionFailure for network errors, including a line that is not JSON.
 */
export interface ListWatch<T extends KubeObject> {
  list(options: ListOptions, signal: AbortSignal): Promise<Page<T>>
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}
