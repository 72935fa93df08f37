/**
 * The state of an owner for its dependents: absent; deleted with foreground propagation and waiting for dependents;
 * or solid, which includes deletion with other propagation until it is gone.
 */
export type OwnerState = 'absent' | 'waiting' | 'solid'

export interface Dependent {
  readonly owners: readonly { readonly uid: string; readonly state: OwnerState }[]
  readonly finalizers: readonly string[]
  /** Other objects have this one as owner. */
  readonly hasDependents: boolean
  /** A dependent of this object waits for its own dependents: the owner references form a cycle. */
  readonly inCycle: boolean
}

export type GarbageDecision =
  | { readonly action: 'keep' }
  | { readonly action: 'disown'; readonly owners: readonly string[] }
  | { readonly action: 'delete'; readonly propagation: 'Background' | 'Foreground' | 'Orphan' }

/** Decides what happens to an object when one of its owners is deleted. */
export function decideGarbage(dependent: Dependent): GarbageDecision {
  const { owners, finalizers, hasDependents, inCycle } = dependent
  const leaving = owners.filter(({ state }) => state !== 'solid')
  if (leaving.length === 0) return { action: 'keep' }
  if (leaving.length < owners.length) {
    return { action: 'disown', owners: leaving.map(({ uid }) => uid) }
  }
  const isWaiting = leaving.some(({ state }) => state === 'waiting')
  if (isWaiting && hasDependents && !inCycle) return { action: 'delete', propagation: 'Foreground' }
  // The propagation requested for this object still applies.
  if (finalizers.includes('orphan')) return { action: 'delete', propagation: 'Orphan' }
  const inForeground = finalizers.includes('foregroundDeletion') && !inCycle
  return { action: 'delete', propagation: inForeground ? 'Foreground' : 'Background' }
}
