/**
 * How an object is put together, as far as patches must know: which lists have keys, which objects are one value, and
 * which keys are names of fields rather than entries of a map.
 */
export interface Shape {
  /** Fields whose own shape matters. */
  readonly fields?: Readonly<Record<string, Shape>>
  /** The shape of every other key. Where absent, all keys name fields; where present, others are entries of a map. */
  readonly entries?: Shape
  /** An object or list that is owned and replaced as one value. Lists without `list` are so anyway. */
  readonly atomic?: boolean
  readonly list?: 'set' | 'map'
  readonly items?: Shape
  /** Which fields tell the items of a list of type `map` apart. */
  readonly keys?: readonly string[]
  /** What an item without that key counts as. */
  readonly keyDefaults?: Readonly<Record<string, unknown>>
  /** What a strategic merge patch does with this field. */
  readonly patch?: PatchStrategy
  /** Only these fields exist, and what is written there must be of the type that they have. */
  readonly declared?: DeclaredType
}

export interface PatchStrategy {
  readonly strategy: 'merge' | 'replace'
  /** Which field tells list items apart; lists of text have none. */
  readonly mergeKey?: string
}

export type DeclaredType = 'map' | 'list' | 'string' | 'numeric' | 'boolean' | 'anything'

/** Whatever has no rules of its own: objects are merged field by field, lists are atomic. */
export const plain: Shape = {}

/** What a schema leaves open: as JSON shows it. Objects are maps there, lists are atomic. */
export const deduced: Shape = {
  get entries(): Shape {
    return deduced
  },
}

export function shapeAt(shape: Shape, key: string): Shape {
  return namedShape(shape, key) ?? shape.entries ?? plain
}

/** Whether a key is the name of a field, not an entry of a map. */
export function isField(shape: Shape, key: string): boolean {
  return shape.entries === undefined || namedShape(shape, key) !== undefined
}

export function namedShape(shape: Shape, key: string): Shape | undefined {
  return shape.fields && Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined
}
