import type { Stalled } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { Change, ChangeHandler } from '../informer/change.ts'
import type { Outcome } from './outcome.ts'

/** The data flow of a controller: the diagram in the documentation is generated from it. */
export interface ControllerFlow {
  readonly name: string
  readonly inputs: readonly { readonly resource: string }[]
  /** The resources that the controller writes. */
  readonly outputs: readonly string[]
}

/** A source of keys to reconcile. Created by `input`. */
export interface Input {
  readonly resource: string
  /** True when the cache has synced; false if it was stopped before. */
  synced(): Promise<boolean>
  subscribe(enqueue: Enqueue): () => void
}

type Enqueue = (key: string, priority: number) => void

export interface ReconcileContext {
  /** Logs with the controller, the key and the id of this reconcile. */
  readonly log: Logger
  /** Aborts when the reconcile exceeds its timeout, or the grace period of a stop. */
  readonly signal: AbortSignal
  /** Number of consecutive failures of this key. */
  readonly retries: number
}

export interface Controller extends ControllerFlow {
  readonly inputs: readonly Input[]
  /** Maximum number of concurrent reconciles; 1 by default. */
  readonly workers?: number
  /** Timeout of a reconcile; none by default. */
  readonly timeoutMs?: number
  /** Reconciles the state behind one key. Never runs concurrently for the same key. */
  reconcile(key: string, context: ReconcileContext): Promise<Outcome>
  /** Called when a user must act, to report the state that `reconcile` could not report. */
  onStalled?(key: string, stalled: Stalled, context: ReconcileContext): void | Promise<void>
}

/** The methods of an informer that an input uses. */
export interface ChangeSource<T extends KubeObject> {
  synced(): Promise<boolean>
  subscribe(handler: ChangeHandler<T>): () => void
  onRelist?(handler: () => void): () => void
}

export interface InputOptions<T extends KubeObject> {
  /** The kind, as shown in the diagram of the documentation. */
  readonly resource: string
  readonly informer: ChangeSource<T>
  /** The keys that a change affects; by default the key of the object. */
  readonly keys?: (change: Change<T>) => Iterable<string>
  /** Keys to reconcile after a relist, in addition to the changes that the list contains; none by default. */
  readonly relisted?: () => Iterable<string>
}

/** Initial objects have a lower priority than changes. */
const initialPriority = -100

export function input<T extends KubeObject>(options: InputOptions<T>): Input {
  const { resource, informer, keys = ownKey, relisted } = options
  return {
    resource,
    synced: () => informer.synced(),
    subscribe: (enqueue) => {
      const unsubscribe = informer.subscribe((change) => {
        const isInitial = change.type === 'added' && change.initial
        for (const key of keys(change)) enqueue(key, isInitial ? initialPriority : 0)
      })
      const unsubscribeRelist =
        relisted &&
        informer.onRelist?.(() => {
          for (const key of relisted()) enqueue(key, 0)
        })
      return () => {
        unsubscribe()
        unsubscribeRelist?.()
      }
    },
  }
}

function ownKey(change: Change<KubeObject>): string[] {
  return [keyText(keyOf(change.object))]
}
