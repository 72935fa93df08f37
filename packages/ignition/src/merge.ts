import type { Config } from './config.ts'
import type { Field, Item, ItemsField, StringsField, StructField, StructShape } from './field.ts'
import { entriesOf } from './field.ts'
import type { Layer, MergeContext, MergeTrace } from './merge-context.ts'
import { below } from './merge-context.ts'
import type { KeyedList } from './merge-lists.ts'
import { mergeLists } from './merge-lists.ts'
import { configShape } from './shape.ts'
import { internalSpec, versionText } from './spec-version.ts'

export interface MergeOptions {
  /** Hears which input decided what. Without it, merging does no work for it. */
  readonly trace?: MergeTrace
  /**
   * A file's contents are one thing: a later `source` does not inherit the compression and hash of an earlier one.
   * Ignition itself merges these fields one by one.
   */
  readonly contentsAsOne?: boolean
}

/**
 * One config out of many; where two disagree, the later one wins. The same as Ignition's merge of two, applied from left
 * to right, but in time linear in the input: nothing is copied that only one config speaks of, and no input is changed.
 *
 * As for Ignition, inputs are valid configs of the internal version: no key comes twice within one of them.
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
    if (context.trace) tellOnly(shape, layers[0]!, context)
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

/** Only one config speaks of this struct, so all of it is that one's. */
function tellOnly(shape: StructShape, { value, from }: Layer<Item>, context: MergeContext): void {
  for (const [name, field] of entriesOf(shape)) {
    const stated = value[name]
    if (!isSet(stated)) continue
    const path = [...context.path, name]
    if (field.type === 'struct') {
      if (saysNothing(field.shape, stated as Item)) continue
      tellOnly(field.shape, { value: stated as Item, from }, { ...context, path })
    } else if (field.type === 'items' && field.unique) {
      for (const item of stated as readonly Item[]) {
        const layer = { value: item, from }
        tellOnly(field.shape, layer, { ...context, path: [...path, field.key(item)] })
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

/** A struct that says nothing has no say: not even its plain fields count. */
function mergeStructField(
  name: string,
  field: StructField,
  layers: readonly Layer<Item>[],
  context: MergeContext,
): Item | undefined {
  const stated = layers.flatMap(({ value, from }) => {
    const inner = value[name] as Item | null | undefined
    return inner == null || saysNothing(field.shape, inner) ? [] : [{ value: inner, from }]
  })
  if (stated.length === 0) return undefined
  const heard =
    context.contentsAsOne && name === 'contents' ? forgetReplacedSources(stated) : stated
  return mergeStruct(field.shape, heard, below(context, name))
}

function forgetReplacedSources(layers: readonly Layer<Item>[]): readonly Layer<Item>[] {
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

function saysNothing(shape: StructShape, value: Item): boolean {
  return entriesOf(shape).every(([name, field]) => {
    const stated = value[name]
    if (!isSet(stated)) return true
    if (field.type === 'struct') return saysNothing(field.shape, stated as Item)
    if (field.type === 'strings' || field.type === 'items')
      return (stated as unknown[]).length === 0
    return field.plain === true && (stated === '' || stated === 0 || stated === false)
  })
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null

function isUniqueList(field: Field): field is StringsField | ItemsField {
  return (field.type === 'strings' || field.type === 'items') && field.unique
}

const known = new WeakMap<StructShape, readonly (readonly KeyedList[])[]>()

/** The lists of a struct whose items are told apart by key, grouped with those that they share their keys with. */
function keySpacesOf(shape: StructShape): readonly (readonly KeyedList[])[] {
  let spaces = known.get(shape)
  if (!spaces) {
    const lists = entriesOf(shape).flatMap(([name, field]) =>
      isUniqueList(field) ? [[name, field] as const] : [],
    )
    const grouped = Map.groupBy(lists, ([name, { keySpace }]) => keySpace ?? `list ${name}`)
    spaces = [...grouped.values()]
    known.set(shape, spaces)
  }
  return spaces
}
