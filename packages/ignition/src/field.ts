import type { Spec } from './spec-version.ts'

/**
 * What is known about one field of the spec. A field is either nullable (absent differs from its zero value, and a
 * merge keeps the parent's value when the child has none) or `plain` (absent *is* the zero value, and the child's
 * value always wins).
 */
interface AnyField {
  /** The version that brought the field; all of them have it if absent. */
  readonly since?: Spec
}

interface Scalar extends AnyField {
  readonly plain?: true
  /** Plain, and always written. */
  readonly required?: true
  /** Nullable now, but plain up to and including this version. */
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
  /** Up to and including this version, absent differed from empty. */
  readonly nullableUntil?: Spec
  readonly shape: [T] extends [never] ? StructShape : Shape<T>
}

interface ListField extends AnyField {
  /** `false`: parent's and child's items are concatenated, and the same item may come twice. */
  readonly unique: boolean
  /** Lists with the same key space share their keys: an item of one displaces that of another. */
  readonly keySpace?: string
}

/** A list of strings; each is its own key. */
export interface StringsField extends ListField {
  readonly type: 'strings'
}

/** A list of structs, told apart by their key. */
export interface ItemsField<T = never> extends ListField {
  readonly type: 'items'
  readonly shape: [T] extends [never] ? StructShape : Shape<T>
  // Written as a method so that a field of known items passes for a field of any items.
  key(item: [T] extends [never] ? object : T): string
}

/** A struct of the config for code that walks over all fields. */
export type Item = Readonly<Record<string, unknown>>

export type Field = StringField | IntField | BoolField | StructField | StringsField | ItemsField

/** A struct of the spec for code that walks over all fields; every `Shape<T>` is one. */
export type StructShape = Readonly<Record<string, Field>>

/** The fields of a struct, by name. Tables of the spec never change, so each is taken apart once. */
export function entriesOf(shape: StructShape): readonly (readonly [name: string, field: Field])[] {
  let entries = taken.get(shape)
  if (!entries) {
    entries = Object.entries(shape)
    taken.set(shape, entries)
  }
  return entries
}

const taken = new WeakMap<StructShape, readonly (readonly [string, Field])[]>()

/** One entry for every key of T, of the kind that T says: the table cannot drift from the interfaces. */
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

/** What must always be there is plain and required, or a struct. */
type Required = { readonly plain: true; readonly required: true } | { readonly type: 'struct' }
