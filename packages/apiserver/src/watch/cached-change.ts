import type { StoreChange } from '../store/store.ts'
import type { ChangeType } from './cached-object.ts'
import { CachedObject } from './cached-object.ts'
import type { Select } from './list-options.ts'

export interface SeenChange {
  readonly type: ChangeType
  readonly object: CachedObject
}

/** How many characters of objects a change holds on to. */
export const sizeOf = ({ value, before }: StoreChange): number =>
  (value?.length ?? 0) + (before?.value.length ?? 0)

/** A change that many watchers look at. */
export class CachedChange {
  readonly revision: number
  readonly key: string
  readonly size: number
  readonly #after: CachedObject | undefined
  /** The state before; with the revision of the change, as it is sent to those for whom the object is gone now. */
  readonly #before: CachedObject | undefined

  constructor(change: StoreChange) {
    const { revision, key, value, before } = change
    this.revision = revision
    this.key = key
    this.size = sizeOf(change)
    this.#after = value === undefined ? undefined : new CachedObject({ key, value, revision })
    this.#before = before && new CachedObject({ ...before, revision })
  }

  /** How the change looks to somebody who sees only some objects: they come into sight, change, or go out of sight. */
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
