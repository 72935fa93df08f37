import type { Field, Item, ItemsField, StringsField, StructShape } from '../field.ts'
import { entriesOf } from '../field.ts'
import type { Place } from '../report.ts'

/** Refuses two items with the same key, anywhere in the config: the table of the spec says what the keys are. */
export function refuseDuplicates(struct: Item, shape: StructShape, place: Place): void {
  const keySpaces = new Map<string, Set<string>>()
  for (const [name, field] of entriesOf(shape)) {
    const value = struct[name]
    if (value === undefined || isScalar(field)) continue
    if (isUniqueList(field)) {
      const space = field.keySpace ?? name
      const keys = keySpaces.get(space) ?? new Set()
      keySpaces.set(space, keys)
      refuseKnownKeys(value as readonly unknown[], field, keys, place.at(name))
    }
    descend(value, field, place.at(name))
  }
}

function refuseKnownKeys(
  items: readonly unknown[],
  field: StringsField | ItemsField,
  keys: Set<string>,
  place: Place,
): void {
  for (const [i, item] of items.entries()) {
    const key = field.type === 'items' ? field.key(item as Item) : (item as string)
    if (keys.has(key)) place.at(i).error(`is a duplicate: there is another${spaceText(field)}`)
    keys.add(key)
  }
}

const spaceText = ({ keySpace }: StringsField | ItemsField): string =>
  keySpace === 'path' ? ' file, directory or link with this path' : ' one of the same name'

function descend(value: unknown, field: Field, place: Place): void {
  if (field.type === 'struct') refuseDuplicates(value as Item, field.shape, place)
  if (field.type !== 'items') return
  for (const [i, item] of (value as readonly Item[]).entries()) {
    refuseDuplicates(item, field.shape, place.at(i))
  }
}

const isScalar = ({ type }: Field): boolean =>
  type === 'string' || type === 'int' || type === 'bool'

const isUniqueList = (field: Field): field is StringsField | ItemsField =>
  (field.type === 'strings' || field.type === 'items') && field.unique
