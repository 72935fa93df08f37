import type { KubeObject } from '@machinist/core/objects/resource'

/** A change of one object. Objects are frozen because they belong to the cache. */
export type Change<T extends KubeObject> =
  | {
      readonly type: 'added'
      readonly object: Readonly<T>
      /** The object is part of the first list, or existed before the subscription. */
      readonly initial: boolean
    }
  | { readonly type: 'updated'; readonly object: Readonly<T>; readonly before: Readonly<T> }
  | {
      readonly type: 'deleted'
      /** The last known state. */
      readonly object: Readonly<T>
      /** The deletion was detected by a list, so the final state may differ. */
      readonly missed: boolean
    }

/**
 * Called for each change, in order. A handler should only enqueue a key: errors are logged and counted, and promises are not
 * awaited.
 */
export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void | Promise<void>
