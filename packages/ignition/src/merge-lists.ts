import type { Item, ItemsField, StringsField, StructShape } from './spec/field.ts'
import type { Layer, MergeContext } from './merge-context.ts'
import { below } from './merge-context.ts'

/** A list whose items are identified by key, with its name. */
export type KeyedList = readonly [name: string, field: StringsField | ItemsField]

type MergeItem = (shape: StructShape, layers: readonly Layer<Item>[], context: MergeContext) => Item

/**
 * Merges lists that share a key space. An item with a known key is merged in place; if the key is in a sibling list, the item
 * replaces that one (a directory replaces a file of the same path); a new item is appended.
 */
export function mergeLists(
  lists: readonly KeyedList[],
  layers: readonly Layer<Item>[],
  context: MergeContext,
  mergeItem: MergeItem,
): [name: string, items: unknown[]][] {
  const space = new KeySpace(context)
  for (const { value, from } of layers) {
    for (const [name, field] of lists) {
      for (const item of (value[name] ?? []) as unknown[]) {
        space.add(name, keyOf(field, item), { value: item, from })
      }
    }
  }
  return lists.flatMap(([name, field]) => {
    const items = space
      .of(name)
      .map((slot) => mergeSlot(field, slot, below(context, name), mergeItem))
    return items.length === 0 ? [] : [[name, items]]
  })
}

/** All layers of one item. It keeps the position of its first layer. */
interface Slot {
  readonly list: string
  readonly layers: Layer<unknown>[]
  isRemoved: boolean
}

class KeySpace {
  readonly #context: MergeContext
  readonly #byKey = new Map<string, Slot>()
  readonly #byList = new Map<string, Slot[]>()

  constructor(context: MergeContext) {
    this.#context = context
  }

  add(list: string, key: string, layer: Layer<unknown>): void {
    const slot = this.#byKey.get(key)
    if (slot?.list !== list) {
      if (slot) this.#remove(slot, key, layer.from)
      this.#addSlot(list, key, layer)
    } else if (removesHeader(list, layer.value)) this.#remove(slot, key, layer.from)
    else slot.layers.push(layer)
  }

  of(list: string): Slot[] {
    return (this.#byList.get(list) ?? []).filter(({ isRemoved }) => !isRemoved)
  }

  #addSlot(list: string, key: string, layer: Layer<unknown>): void {
    const slot = { list, layers: [layer], isRemoved: false }
    this.#byKey.set(key, slot)
    const slots = this.#byList.get(list)
    if (slots) slots.push(slot)
    else this.#byList.set(list, [slot])
  }

  #remove(slot: Slot, key: string, by: number): void {
    slot.isRemoved = true
    this.#byKey.delete(key)
    const { path, trace } = this.#context
    trace?.removed([...path, slot.list, key], slot.layers.at(-1)!.from, by)
  }
}

function mergeSlot(
  field: StringsField | ItemsField,
  slot: Slot,
  context: MergeContext,
  mergeItem: MergeItem,
): unknown {
  if (field.type === 'items') {
    const layers = slot.layers as Layer<Item>[]
    return mergeItem(field.shape, layers, below(context, field.key(layers[0]!.value)))
  }
  const { value, from } = slot.layers.at(-1)!
  context.trace?.decided([...context.path, value as string], from)
  return value
}

function keyOf(field: StringsField | ItemsField, item: unknown): string {
  return field.type === 'items' ? field.key(item as Item) : (item as string)
}

/** A header without a value removes the header of an earlier config. */
function removesHeader(list: string, item: unknown): boolean {
  return list === 'httpHeaders' && (item as Item)['value'] == null
}
