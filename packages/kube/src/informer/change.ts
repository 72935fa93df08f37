import type { KubeObject } from '@machinist/core/resource'

/** What happened to one object. Objects are frozen: they are the cache's own. */
export type Change<T extends KubeObject> =
  | {
      readonly type: 'added'
      readonly object: Readonly<T>
      /** It was there before anybody looked: part of the first list, or told to a late subscriber. */
      readonly initial: boolean
    }
  | { readonly type: 'updated'; readonly object: Readonly<T>; readonly before: Readonly<T> }
  | {
      readonly type: 'deleted'
      /** The last state that is known. */
      readonly object: Readonly<T>
      /** It went away while nobody watched, so its very last state may have been another. */
      readonly missed: boolean
    }

/**
 * Called in order, one change after the other. A handler is meant to put a key into a queue: what it throws is logged
 * and counted, what it promises is not waited for.
 */
export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void | Promise<void>
