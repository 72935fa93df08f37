import type { Comparison } from './comparison.ts'
import { FieldSet } from './field-set.ts'
import type { Owner, Owners } from './managed-fields.ts'
import { secondsOf } from './managed-fields.ts'

/** Fields of other owners that this write changes. */
export function conflicts(
  owners: Owners,
  self: string,
  comparison: Comparison,
): Map<string, FieldSet> {
  const written = comparison.modified.union(comparison.added)
  const found = new Map<string, FieldSet>()
  for (const [key, owner] of owners) {
    const taken = key === self ? FieldSet.empty : owner.fields.intersection(written)
    if (!taken.isEmpty) found.set(key, taken)
  }
  return found
}

/** The owners after a write: others lose changed and removed fields; owners without fields are removed. */
export function afterWrite(
  owners: Owners,
  self: string,
  comparison: Comparison,
): Map<string, Owner> {
  const lost = comparison.modified.union(comparison.added).union(comparison.removed)
  const left = new Map<string, Owner>()
  for (const [key, owner] of owners) {
    const fields = key === self ? owner.fields : owner.fields.difference(lost)
    if (!fields.isEmpty) left.set(key, { ...owner, fields })
  }
  return left
}

/** Limit for separate updaters. */
const maxUpdaters = 10

/** Merges the oldest updaters beyond the limit, per version. */
export function cappedUpdaters(owners: Owners, keyOf: (owner: Owner) => string): Owners {
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= maxUpdaters) return owners
  updaters.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || (a < b ? -1 : 1))
  const kept = new Map(owners)
  const firstOf = new Map<string, string>()
  let surplus = updaters.length - maxUpdaters
  for (const [key, updater] of updaters) {
    if (surplus === 0) break
    const { apiVersion } = updater
    const first = firstOf.get(apiVersion)
    if (first === undefined) {
      firstOf.set(apiVersion, key)
      continue
    }
    const { time: _, ...rest } = updater
    const ancient: Owner = { ...rest, manager: 'ancient-changes', subresource: '' }
    const bucket = keyOf(ancient)
    const before = kept.get(bucket) ?? kept.get(first)!
    if (!kept.has(bucket)) kept.delete(first)
    kept.delete(key)
    const time = updater.time === undefined ? {} : { time: updater.time }
    kept.set(bucket, { ...ancient, ...time, fields: before.fields.union(updater.fields) })
    surplus--
  }
  return kept
}
