import type { Shape } from '../shapes/shape.ts'
import { FieldSet } from './field-set.ts'
import { fieldsOf, withNamedParents } from './fields-of.ts'
import type { Owners } from './managed-fields.ts'
import { withoutFields } from './removed.ts'

/**
 * Removes fields that the applier has applied before, no longer applies, and that have no other owner. `last` is its
 * previous set; `owners` contain its new one.
 */
export function pruneUnapplied(
  object: unknown,
  last: FieldSet,
  owners: Owners,
  shape: Shape,
): unknown {
  if (last.isEmpty) return object
  const named = (set: FieldSet): FieldSet => withNamedParents(set, shape)
  const fieldsIn = (value: unknown): FieldSet => named(fieldsOf(value, shape))
  const all = fieldsIn(object)
  const bare = withoutFields(object, named(last), shape)
  const owned = [...owners.values()].reduce((set, { fields }) => set.union(fields), FieldSet.empty)
  const kept = fieldsIn(bare).union(named(owned))
  const filled = withoutFields(object, all.difference(kept), shape)
  // Only fields of the previous set: unowned fields stay.
  const gone = all.difference(fieldsIn(filled)).intersection(named(last))
  return withoutFields(object, gone, shape)
}
