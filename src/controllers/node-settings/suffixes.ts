import { largestSuffix } from './names.ts'

/** An object that has or needs a suffix. */
export interface Claimant {
  readonly name: string
  /** RFC 3339; if two objects claim the same suffix, the older one keeps it. */
  readonly created: string
  readonly pools: ReadonlySet<string>
  readonly claim: number | undefined
}

/**
 * One suffix for each object, unique in each pool. Objects keep their suffix. A new object gets the next suffix of its pools, or
 * the largest free one if there is no next. Objects without pools get none, nor do objects for which no suffix is left.
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
