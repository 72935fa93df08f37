import type { Stalled } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { Change, ChangeHandler } from '../informer/change.ts'
import type { Outcome } from './outcome.ts'

/** What flows through a controller, as data: the docs' picture of the system is drawn from it. */
export interface Flow {
  readonly name: string
  readonly inputs: readonly { readonly resource: string }[]
  /** The resources it writes. */
  readonly outputs: readonly string[]
}

/** Something whose changes may mean work. Made by `input`. */
export interface Input {
  readonly resource: string
  /** True once its first state is known; false if it was stopped before. */
  synced(): Promise<boolean>
  subscribe(enqueue: Enqueue): () => void
}

type Enqueue = (key: string, priority: number) => void

export interface ReconcileContext {
  /** Carries the controller, the key and the id of this reconcile. */
  readonly log: Logger
  /** Aborts when the reconcile takes too long, or when its time to finish at a stop is over. */
  readonly signal: AbortSignal
  /** How often this key has failed in a row before. */
  readonly retries: number
}

export interface Controller extends Flow {
  readonly inputs: readonly Input[]
  /** How many keys may be worked on at once; one unless said otherwise. */
  readonly workers?: number
  /** After this time a reconcile is told to give up; by default it may take as long as it wants. */
  readonly timeoutMs?: number
  /** Looks at the whole state behind one key and does what is needed. Never runs twice at once for the same key. */
  reconcile(key: string, context: ReconcileContext): Promise<Outcome>
  /** A person must act: a chance to show it where reconcile itself could not. */
  onStalled?(key: string, stalled: Stalled, context: ReconcileContext): void | Promise<void>
}

/** What `input` needs of an informer. */
interface Followed<T extends KubeObject> {
  synced(): Promise<boolean>
  subscribe(handler: ChangeHandler<T>): () => void
  onRelist?(handler: () => void): () => void
}

export interface InputOptions<T extends KubeObject> {
  /** The kind, as the docs' picture calls it. */
  readonly resource: string
  readonly informer: Followed<T>
  /** Whose work a change is; by default that of the object itself. */
  readonly keys?: (change: Change<T>) => Iterable<string>
  /** Whose work it is that events were missed, beside the changes that the list shows; by default no one's. */
  readonly relisted?: () => Iterable<string>
}

/** What was there before the start may wait: what changes now comes first. */
const initialPriority = -100

export function input<T extends KubeObject>(options: InputOptions<T>): Input {
  const { resource, informer, keys = ownKey, relisted } = options
  return {
    resource,
    synced: () => informer.synced(),
    subscribe: (enqueue) => {
      const leave = informer.subscribe((change) => {
        const isInitial = change.type === 'added' && change.initial
        for (const key of keys(change)) enqueue(key, isInitial ? initialPriority : 0)
      })
      const forget =
        relisted &&
        informer.onRelist?.(() => {
          for (const key of relisted()) enqueue(key, 0)
        })
      return () => {
        leave()
        forget?.()
      }
    },
  }
}

function ownKey(change: Change<KubeObject>): string[] {
  return [keyText(keyOf(change.object))]
}
