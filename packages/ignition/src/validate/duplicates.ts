import type { Field, Item, ItemsField, StringsField, StructShape } from '../spec/field.ts'
import { entriesOf, isUniqueList } from '../spec/field.ts'
import type { Place } from '../report/report.ts'

/** Rejects two items with the same key, anywhere in the config. The table of the spec defines the keys. */
export function rejectDuplicates(struct: Item, shape: StructShape, place: Place): void {
  const keySpaces = new Map<string, Set<string>>()
  for (const [name, field] of entriesOf(shape)) {
    const value = struct[name]
    if (value === undefined || isScalar(field)) continue
    if (isUniqueList(field)) {
      const space = field.keySpace ?? name
      const keys = keySpaces.get(space) ?? new Set()
      keySpaces.set(space, keys)
      rejectKnownKeys(value as readonly unknown[], field, keys, place.at(name))
    }
    descend(value, field, place.at(name))
  }
}

function rejectKnownKeys(
  items: readonly unknown[],
  field: StringsField | ItemsField,
  keys: Set<string>,
  place: Place,
): void {
  for (const [i, item] of items.entries()) {
    const key = field.type === 'items' ? field.key(item as Item) : (item as string)
    if (keys.has(key)) place.at(i).error(`is a duplicate: another ${spaceText(field)}`)
    keys.add(key)
  }
}

const spaceText = ({ keySpace }: StringsField | ItemsField): string =>
  keySpace === 'path' ? 'file, directory or link has this path' : 'entry has the same name'

function descend(value: unknown, field: Field, place: Place): void {
  if (field.type === 'struct') rejectDuplicates(value as Item, field.shape, place)
  if (field.type !== 'items') return
  for (const [i, item] of (value as readonly Item[]).entries()) {
    rejectDuplicates(item, field.shape, place.at(i))
  }
}

const isScalar = ({ type }: Field): boolean =>
  type === 'string' || type === 'int' || type === 'bool'
