import type { StoreChange } from '../store/store.ts'
import type { ChangeType } from './cached-object.ts'
import { CachedObject } from './cached-object.ts'
import type { Select } from './list-options.ts'

export interface SeenChange {
  readonly type: ChangeType
  readonly object: CachedObject
}

/** Number of characters that a change retains. */
export const sizeOf = ({ value, before }: StoreChange): number =>
  (value?.length ?? 0) + (before?.value.length ?? 0)

/** A change that many watches share. */
export class CachedChange {
  readonly revision: number
  readonly key: string
  readonly size: number
  readonly #after: CachedObject | undefined
  /** The previous state, with the revision of the change: sent when the object leaves a watch's selection. */
  readonly #before: CachedObject | undefined

  constructor(change: StoreChange) {
    const { revision, key, value, before } = change
    this.revision = revision
    this.key = key
    this.size = sizeOf(change)
    this.#after = value === undefined ? undefined : new CachedObject({ key, value, revision })
    this.#before = before && new CachedObject({ ...before, revision })
  }

  /** How a watch with this selector sees the change: added, modified or deleted. */
  seenThrough(select: Select | undefined): SeenChange | undefined {
    const after = visible(this.#after, select)
    const before = visible(this.#before, select)
    if (after) return { type: before ? 'MODIFIED' : 'ADDED', object: after }
    return before && { type: 'DELETED', object: before }
  }
}

const visible = (
  object: CachedObject | undefined,
  select: Select | undefined,
): CachedObject | undefined =>
  object && (select === undefined || select(object.object)) ? object : undefined
