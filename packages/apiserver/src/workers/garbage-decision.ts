/**
 * How an owner is from the point of view of what belongs to it: not there, deleted and waiting for its dependents, or
 * here to stay (or to go without a word about dependents, which is the same until it has gone).
 */
export type OwnerState = 'absent' | 'waiting' | 'solid'

export interface Dependent {
  readonly owners: readonly { readonly uid: string; readonly state: OwnerState }[]
  readonly finalizers: readonly string[]
  /** Something belongs to the dependent itself. */
  readonly hasDependents: boolean
  /** Something that belongs to the dependent waits for its own dependents: they belong to each other in a circle. */
  readonly inCircle: boolean
}

export type GarbageDecision =
  | { readonly act: 'keep' }
  | { readonly act: 'disown'; readonly owners: readonly string[] }
  | { readonly act: 'delete'; readonly propagation: 'Background' | 'Foreground' | 'Orphan' }

/** What becomes of an object when one of its owners goes. */
export function decideGarbage(dependent: Dependent): GarbageDecision {
  const { owners, finalizers, hasDependents, inCircle } = dependent
  const leaving = owners.filter(({ state }) => state !== 'solid')
  if (leaving.length === 0) return { act: 'keep' }
  if (leaving.length < owners.length) {
    return { act: 'disown', owners: leaving.map(({ uid }) => uid) }
  }
  const isAwaited = leaving.some(({ state }) => state === 'waiting')
  if (isAwaited && hasDependents && !inCircle) return { act: 'delete', propagation: 'Foreground' }
  // What was asked for when it was made still holds.
  if (finalizers.includes('orphan')) return { act: 'delete', propagation: 'Orphan' }
  const inForeground = finalizers.includes('foregroundDeletion') && !inCircle
  return { act: 'delete', propagation: inForeground ? 'Foreground' : 'Background' }
}
