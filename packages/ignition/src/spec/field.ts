import type { Spec } from './version.ts'

/**
 * The definition of a field. A field is either nullable (absent differs from the zero value, and a merge keeps the parent's value
 * if the child has none) or `plain` (absent is the zero value, and the child's value always wins).
 */
interface AnyField {
  /** The version that introduced the field; absent for fields of all versions. */
  readonly since?: Spec
}

interface Scalar extends AnyField {
  readonly plain?: true
  /** Plain, and always present. */
  readonly required?: true
  /** Nullable, but plain up to and including this version. */
  readonly plainUntil?: Spec
}

export interface StringField extends Scalar {
  readonly type: 'string'
}

export interface IntField extends Scalar {
  readonly type: 'int'
}

export interface BoolField extends Scalar {
  readonly type: 'bool'
}

export interface StructField<T = never> extends AnyField {
  readonly type: 'struct'
  /** Up to and including this version, absent differs from empty. */
  readonly nullableUntil?: Spec
  readonly shape: [T] extends [never] ? StructShape : Shape<T>
}

interface ListField extends AnyField {
  /** `false`: a merge concatenates the items of parent and child, and an item may occur twice. */
  readonly unique: boolean
  /** Lists with the same key space share their keys: an item of one list replaces an item of the other. */
  readonly keySpace?: string
}

/** A list of strings; each is its own key. */
export interface StringsField extends ListField {
  readonly type: 'strings'
}

/** A list of structs, identified by their key. */
export interface ItemsField<T = never> extends ListField {
  readonly type: 'items'
  readonly shape: [T] extends [never] ? StructShape : Shape<T>
  // A method, so that a field of specific items is assignable to a field of any items.
  key(item: [T] extends [never] ? object : T): string
}

/** A struct of a config, for code that iterates over all fields. */
export type Item = Readonly<Record<string, unknown>>

export type Field = StringField | IntField | BoolField | StructField | StringsField | ItemsField

/** A struct of the spec, for code that iterates over all fields. Every `Shape<T>` is one. */
export type StructShape = Readonly<Record<string, Field>>

/** A list whose items are identified by key. */
export const isUniqueList = (field: Field): field is StringsField | ItemsField =>
  (field.type === 'strings' || field.type === 'items') && field.unique

/** The fields of a struct by name. Cached, because the tables never change. */
export function entriesOf(shape: StructShape): readonly (readonly [name: string, field: Field])[] {
  let entries = entriesCache.get(shape)
  if (!entries) {
    entries = Object.entries(shape)
    entriesCache.set(shape, entries)
  }
  return entries
}

const entriesCache = new WeakMap<StructShape, readonly (readonly [string, Field])[]>()

/** One entry for every key of T, with the type of T, so that the table cannot differ from the interfaces. */
export type Shape<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? FieldFor<Exclude<T[K], undefined>>
    : FieldFor<T[K]> & Required
}

type FieldFor<V> = [V] extends [string]
  ? StringField
  : [V] extends [number]
    ? IntField
    : [V] extends [boolean]
      ? BoolField
      : [V] extends [readonly string[]]
        ? StringsField
        : [V] extends [readonly (infer T)[]]
          ? ItemsField<T>
          : StructField<V>

/** A member that is always present is plain and required, or a struct. */
type Required = { readonly plain: true; readonly required: true } | { readonly type: 'struct' }
