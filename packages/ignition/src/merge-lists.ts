import type { Item, ItemsField, StringsField, StructShape } from './field.ts'
import type { Layer, MergeContext } from './merge-context.ts'
import { below } from './merge-context.ts'

/** A list whose items are told apart by key, and its name. */
export type KeyedList = readonly [name: string, field: StringsField | ItemsField]

type MergeItem = (shape: StructShape, layers: readonly Layer<Item>[], context: MergeContext) => Item

/**
 * Merges lists that share one key space. An item that is in the same list already is merged in its place; one that is in
 * a sibling list takes over from it (a directory displaces a file of the same path); a new one goes to the end.
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
        space.hear(name, keyOf(field, item), { value: item, from })
      }
    }
  }
  return lists.flatMap(([name, field]) => {
    const items = space.of(name).map((slot) => settle(field, slot, below(context, name), mergeItem))
    return items.length === 0 ? [] : [[name, items]]
  })
}

/** Everything that was said about one item. It keeps the place of its first mention. */
interface Slot {
  readonly list: string
  readonly layers: Layer<unknown>[]
  gone: boolean
}

class KeySpace {
  readonly #context: MergeContext
  readonly #byKey = new Map<string, Slot>()
  readonly #byList = new Map<string, Slot[]>()

  constructor(context: MergeContext) {
    this.#context = context
  }

  hear(list: string, key: string, layer: Layer<unknown>): void {
    const slot = this.#byKey.get(key)
    if (slot?.list !== list) {
      if (slot) this.#remove(slot, key, layer.from)
      this.#add(list, key, layer)
    } else if (revokesHeader(list, layer.value)) this.#remove(slot, key, layer.from)
    else slot.layers.push(layer)
  }

  of(list: string): Slot[] {
    return (this.#byList.get(list) ?? []).filter(({ gone }) => !gone)
  }

  #add(list: string, key: string, layer: Layer<unknown>): void {
    const slot = { list, layers: [layer], gone: false }
    this.#byKey.set(key, slot)
    const slots = this.#byList.get(list)
    if (slots) slots.push(slot)
    else this.#byList.set(list, [slot])
  }

  #remove(slot: Slot, key: string, by: number): void {
    slot.gone = true
    this.#byKey.delete(key)
    const { path, trace } = this.#context
    trace?.removed([...path, slot.list, key], slot.layers.at(-1)!.from, by)
  }
}

function settle(
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

/** A header without a value takes back the one that an earlier config set. */
function revokesHeader(list: string, item: unknown): boolean {
  return list === 'httpHeaders' && (item as Item)['value'] == null
}
