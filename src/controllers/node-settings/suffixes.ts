import { largestSuffix } from './names.ts'

/** An object that has a suffix, or needs one. */
export interface Claimant {
  readonly name: string
  /** RFC 3339; the older one keeps what two claim. */
  readonly created: string
  readonly pools: ReadonlySet<string>
  readonly claim: number | undefined
}

/**
 * One suffix for each object: no two of a pool have the same, and what one has stays. A new one comes after all others
 * of its pools; if there is no number above theirs, it gets the largest that is free. Objects without pools get none, nor
 * do those for whom none is left.
 */
export function suffixesOf(claimants: readonly Claimant[]): Map<string, number> {
  const byAge = claimants.toSorted(older).filter(({ pools }) => pools.size > 0)
  const given = new Map<string, number>()
  const neighbours = (one: Claimant): number[] =>
    byAge
      .filter((other) => other !== one && !other.pools.isDisjointFrom(one.pools))
      .flatMap(({ name }) => given.get(name) ?? [])
  for (const one of byAge) {
    if (one.claim === undefined || neighbours(one).includes(one.claim)) continue
    given.set(one.name, one.claim)
  }
  for (const one of byAge) {
    if (given.has(one.name)) continue
    const free = freeSuffix(new Set(neighbours(one)))
    if (free !== undefined) given.set(one.name, free)
  }
  return given
}

function freeSuffix(taken: ReadonlySet<number>): number | undefined {
  const next = Math.max(-1, ...taken) + 1
  if (next <= largestSuffix) return next
  for (let suffix = largestSuffix; suffix >= 0; suffix--) if (!taken.has(suffix)) return suffix
  return undefined
}

function older(a: Claimant, b: Claimant): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1
  return a.name < b.name ? -1 : 1
}
