/** What one name may hold: what was acknowledged last, and what was under way when the server died. */
export interface Entry {
  /** Undefined: it is not there. */
  readonly present: Held | undefined
  /** The version of the acknowledgement, of a removal too; 0 at the beginning. */
  readonly version: number
}

export interface Held {
  readonly uid: string
  readonly version: number
  readonly sequence: string
}

export type Attempt =
  { readonly kind: 'create' | 'change'; readonly sequence: string } | { readonly kind: 'delete' }

/** Why what is found is not what can be there; undefined if it can. */
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
