/**
 * The structure of an object for patches: which lists have keys, which objects are atomic, and which keys are field
 * names rather than map entries.
 */
export interface Shape {
  /** Fields with a shape of their own. */
  readonly fields?: Readonly<Record<string, Shape>>
  /** The shape of all other keys. If absent, all keys are fields; if present, other keys are map entries. */
  readonly entries?: Shape
  /** An object or list that is owned and replaced as one value. Default for lists without `list`. */
  readonly atomic?: boolean
  readonly list?: 'set' | 'map'
  readonly items?: Shape
  /** The keys of a list of type `map`. */
  readonly keys?: readonly string[]
  /** Default values of absent keys. */
  readonly keyDefaults?: Readonly<Record<string, unknown>>
  /** The behaviour of strategic merge patches for this field. */
  readonly patch?: PatchStrategy
  /** Only these fields exist, and values must have their types. */
  readonly declared?: DeclaredType
}

export interface PatchStrategy {
  readonly strategy: 'merge' | 'replace'
  /** Identifies list items; lists of scalars have none. */
  readonly mergeKey?: string
}

export type DeclaredType = 'map' | 'list' | 'string' | 'numeric' | 'boolean' | 'anything'

/** The default: objects are merged by field, lists are atomic. */
export const plain: Shape = {}

/** For values without a schema: objects are maps, lists are atomic. */
export const deduced: Shape = {
  get entries(): Shape {
    return deduced
  },
}

export function shapeAt(shape: Shape, key: string): Shape {
  return namedShape(shape, key) ?? shape.entries ?? plain
}

/** Whether a key is a field, not a map entry. */
export function isField(shape: Shape, key: string): boolean {
  return shape.entries === undefined || namedShape(shape, key) !== undefined
}

export function namedShape(shape: Shape, key: string): Shape | undefined {
  return shape.fields && Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined
}
