/**
 * The possible states of a name: the last acknowledged one, and the one of the pending request when the server died.
 */
export interface Entry {
  /** Undefined: the object does not exist. */
  readonly present: Held | undefined
  /** The version of the last acknowledged write or removal; 0 initially. */
  readonly version: number
}

export interface Held {
  readonly uid: string
  readonly version: number
  readonly sequence: string
}

export type Attempt =
  { readonly kind: 'create' | 'change'; readonly sequence: string } | { readonly kind: 'delete' }

/** Why the found state is impossible; undefined if it is possible. */
export function discrepancy(
  { present, version }: Entry,
  attempt: Attempt | undefined,
  found: Held | undefined,
): string | undefined {
  if (isSame(present, found)) return undefined
  if (attempt === undefined) return `acknowledged ${text(present)}, found ${text(found)}`
  const wrong = `${attempt.kind} was under way on ${text(present)}, found ${text(found)}`
  if (attempt.kind === 'delete') return found === undefined ? undefined : wrong
  if (found?.sequence !== attempt.sequence || found.version <= version) return wrong
  const sameOne = found.uid === present?.uid
  return sameOne === (attempt.kind === 'change') ? undefined : wrong
}

function isSame(a: Held | undefined, b: Held | undefined): boolean {
  if (!a || !b) return a === b
  return a.uid === b.uid && a.version === b.version && a.sequence === b.sequence
}

const text = (held: Held | undefined): string => JSON.stringify(held ?? 'nothing')
