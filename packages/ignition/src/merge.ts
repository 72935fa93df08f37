import type { Config } from './spec/config.ts'
import type { Field, Item, StructField, StructShape } from './spec/field.ts'
import { entriesOf, isUniqueList } from './spec/field.ts'
import type { Layer, MergeContext, MergeTrace } from './merge-context.ts'
import { below } from './merge-context.ts'
import type { KeyedList } from './merge-lists.ts'
import { mergeLists } from './merge-lists.ts'
import { configShape } from './spec/shape.ts'
import { internalSpec, versionText } from './spec/version.ts'

export interface MergeOptions {
  /** Receives the input that decided each value. Without a trace, merging does no extra work. */
  readonly trace?: MergeTrace
  /**
   * Treat the contents of a file as a unit: a later `source` does not inherit the compression and hash of an earlier one.
   * Ignition merges these fields one by one.
   */
  readonly contentsAsOne?: boolean
}

/**
 * Merges configs; later ones win. The result is that of Ignition's merge of two, applied from left to right, but in linear time:
 * structs that only one config has are not copied, and no input is modified.
 *
 * Inputs must be valid configs of the internal version, without duplicate keys.
 */
export function merge(configs: readonly Config[], options: MergeOptions = {}): Config {
  if (configs.length === 0) return { ignition: { version: versionText(internalSpec) } }
  const layers = configs.map((config, from) => ({ value: config as unknown as Item, from }))
  const context = { path: [], trace: options.trace, contentsAsOne: options.contentsAsOne === true }
  return mergeStruct(configShape, layers, context) as unknown as Config
}

function mergeStruct(
  shape: StructShape,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): Item {
  if (layers.length === 1) {
    if (context.trace) traceSingleLayer(shape, layers[0]!, context)
    return layers[0]!.value
  }
  const lists = new Map(
    keySpacesOf(shape).flatMap((space) => mergeLists(space, layers, context, mergeStruct)),
  )
  const merged: Record<string, unknown> = {}
  for (const [name, field] of entriesOf(shape)) {
    const value = lists.get(name) ?? mergeField(name, field, layers, context)
    if (value !== undefined) merged[name] = value
  }
  return merged
}

/** Traces a struct that only one config has. */
function traceSingleLayer(
  shape: StructShape,
  { value, from }: Layer<Item>,
  context: MergeContext,
): void {
  for (const [name, field] of entriesOf(shape)) {
    const stated = value[name]
    if (!isSet(stated)) continue
    const path = [...context.path, name]
    if (field.type === 'struct') {
      if (isEmptyStruct(field.shape, stated as Item)) continue
      traceSingleLayer(field.shape, { value: stated as Item, from }, { ...context, path })
    } else if (field.type === 'items' && field.unique) {
      for (const item of stated as readonly Item[]) {
        const layer = { value: item, from }
        traceSingleLayer(field.shape, layer, { ...context, path: [...path, field.key(item)] })
      }
    } else if (field.type === 'items' || field.type === 'strings') {
      for (const [i, item] of (stated as readonly unknown[]).entries()) {
        context.trace!.decided([...path, field.unique ? (item as string) : String(i)], from)
      }
    } else context.trace!.decided(path, from)
  }
}

function mergeField(
  name: string,
  field: Field,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): unknown {
  switch (field.type) {
    case 'struct':
      return mergeStructField(name, field, layers, context)
    case 'strings':
    case 'items':
      return field.unique ? undefined : concatenate(name, layers, context)
    case 'string':
    case 'int':
    case 'bool':
      return lastStated(name, field.plain === true, layers, context)
  }
}

function lastStated(
  name: string,
  plain: boolean,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): unknown {
  const last = plain ? layers.at(-1) : layers.findLast(({ value }) => isSet(value[name]))
  if (last === undefined || !isSet(last.value[name])) return undefined
  context.trace?.decided([...context.path, name], last.from)
  return last.value[name]
}

/** An empty struct is ignored, including its plain fields. */
function mergeStructField(
  name: string,
  field: StructField,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): Item | undefined {
  const stated = layers.flatMap(({ value, from }) => {
    const inner = value[name] as Item | null | undefined
    return inner == null || isEmptyStruct(field.shape, inner) ? [] : [{ value: inner, from }]
  })
  if (stated.length === 0) return undefined
  const effective =
    context.contentsAsOne && name === 'contents' ? dropReplacedSources(stated) : stated
  return mergeStruct(field.shape, effective, below(context, name))
}

function dropReplacedSources(layers: readonly Layer<Item>[]): readonly Layer<Item>[] {
  const last = layers.findLastIndex(({ value }) => isSet(value['source']))
  return layers.map((layer, i) => {
    if (i >= last) return layer
    const { compression: _, verification: __, ...kept } = layer.value
    return { value: kept, from: layer.from }
  })
}

function concatenate(
  name: string,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): unknown[] | undefined {
  const all = layers.flatMap(({ value, from }) =>
    ((value[name] ?? []) as unknown[]).map((item) => ({ item, from })),
  )
  for (const [i, { from }] of all.entries()) {
    context.trace?.decided([...context.path, name, String(i)], from)
  }
  return all.length === 0 ? undefined : all.map(({ item }) => item)
}

function isEmptyStruct(shape: StructShape, value: Item): boolean {
  return entriesOf(shape).every(([name, field]) => {
    const stated = value[name]
    if (!isSet(stated)) return true
    if (field.type === 'struct') return isEmptyStruct(field.shape, stated as Item)
    if (field.type === 'strings' || field.type === 'items')
      return (stated as unknown[]).length === 0
    return field.plain === true && (stated === '' || stated === 0 || stated === false)
  })
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const keySpacesCache = new WeakMap<StructShape, readonly (readonly KeyedList[])[]>()

/** The keyed lists of a struct, grouped by key space. */
function keySpacesOf(shape: StructShape): readonly (readonly KeyedList[])[] {
  let spaces = keySpacesCache.get(shape)
  if (!spaces) {
    const lists = entriesOf(shape).flatMap(([name, field]) =>
      isUniqueList(field) ? [[name, field] as const] : [],
    )
    const grouped = Map.groupBy(lists, ([name, { keySpace }]) => keySpace ?? `list ${name}`)
    spaces = [...grouped.values()]
    keySpacesCache.set(shape, spaces)
  }
  return spaces
}
