import type { Shape } from '../shapes/shape.ts'
import { FieldSet } from './field-set.ts'
import { fieldsOf, withNamedParents } from './fields-of.ts'
import type { Owners } from './managed-fields.ts'
import { withoutFields } from './removed.ts'

/**
 * The merged object without what its applier had applied before, does not apply any more, and nobody else owns.
 * `last` is what it had; `owners` already hold what it has now.
 */
export function pruned(object: unknown, last: FieldSet, owners: Owners, shape: Shape): unknown {
  if (last.isEmpty) return object
  const named = (set: FieldSet): FieldSet => withNamedParents(set, shape)
  const fieldsIn = (value: unknown): FieldSet => named(fieldsOf(value, shape))
  const all = fieldsIn(object)
  const bare = withoutFields(object, named(last), shape)
  const owned = [...owners.values()].reduce((set, { fields }) => set.union(fields), FieldSet.empty)
  const kept = fieldsIn(bare).union(named(owned))
  const filled = withoutFields(object, all.difference(kept), shape)
  // Never more than it had: what nobody owns stays.
  const gone = all.difference(fieldsIn(filled)).intersection(named(last))
  return withoutFields(object, gone, shape)
}
