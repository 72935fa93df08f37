import type { Field, ItemsField, StringsField, StructShape } from '../spec/field.ts'
import type { JsonNode } from '../json/json.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { modeHint } from '../validate/hints.ts'
import { fieldsOf, foldedName } from './fields.ts'
import { warnOfUnknownKey } from './unknown-keys.ts'

type Target = Record<string, unknown>

/**
 * Decodes JSON into structs as Go decodes it for Ignition: a wrong type is an error, an unknown key is a warning, and a duplicate
 * key is decoded again into the same struct.
 */
export class Decoder {
  readonly #spec: Spec
  /** Former items of a list beyond its current end, for lists that were decoded again. */
  readonly #formerItems = new WeakMap<readonly unknown[], readonly unknown[]>()

  constructor(spec: Spec) {
    this.#spec = spec
  }

  struct(node: JsonNode, shape: StructShape, into: Target, place: Place): void {
    const fields = fieldsOf(shape, this.#spec)
    if (node.kind !== 'object') {
      if (node.kind !== 'null') wrongType(node, 'an object', place)
    } else {
      const seen = new Set<string>()
      for (const member of node.members) {
        const name = fields.byName.has(member.key)
          ? member.key
          : fields.nameByFolded.get(foldedName(member.key))
        if (name === undefined) {
          warnOfUnknownKey(member, shape, place.at(member.key))
          continue
        }
        if (name !== member.key) {
          place.at(member.key).warn(`is read as "${name}"; use that spelling`)
        }
        if (seen.has(name))
          place.at(name).warn('occurs more than once; later values override earlier ones')
        seen.add(name)
        this.#field(member.value, fields.byName.get(name)!, into, name, place)
      }
    }
    for (const name of fields.required) into[name] ??= ''
  }

  #field(node: JsonNode, field: Field, into: Target, name: string, above: Place): void {
    if (node.kind === 'null') {
      if (this.#isNullable(field)) delete into[name]
      return
    }
    const place = above.at(name)
    switch (field.type) {
      case 'string':
        if (node.kind === 'string') into[name] = node.text
        else wrongType(node, 'a string', place)
        break
      case 'bool':
        if (node.kind === 'bool') into[name] = node.text === 'true'
        else wrongType(node, 'true or false', place)
        break
      case 'int':
        into[name] = readInt(node, name, place) ?? into[name]
        break
      case 'struct':
        into[name] ??= {}
        this.struct(node, field.shape, into[name] as Target, place)
        break
      case 'strings':
      case 'items':
        if (node.kind !== 'array') wrongType(node, 'a list', place)
        else into[name] = this.#list(node.items, field, into[name] as unknown[] | undefined, place)
        break
    }
  }

  /** Go decodes a list over the previous one: an item keeps the fields that the new item does not set. */
  #list(
    nodes: readonly JsonNode[],
    field: StringsField | ItemsField,
    before: readonly unknown[] | undefined,
    place: Place,
  ): unknown[] {
    if (nodes.length === 0) return []
    const former = (before && this.#formerItems.get(before)) ?? before ?? []
    const items = nodes.map((node, i) => {
      if (field.type === 'items') {
        const item = (former[i] ?? {}) as Target
        this.struct(node, field.shape, item, place.at(i))
        return item
      }
      if (node.kind === 'string') return node.text
      if (node.kind !== 'null') wrongType(node, 'a string', place.at(i))
      return former[i] ?? ''
    })
    if (former.length > items.length) {
      this.#formerItems.set(items, [...items, ...former.slice(items.length)])
    }
    return items
  }

  /** Whether `null` resets the value of an earlier duplicate key; for other fields it is ignored. */
  #isNullable(field: Field): boolean {
    if (field.type === 'struct') {
      return field.nullableUntil !== undefined && specAtLeast(field.nullableUntil, this.#spec)
    }
    if (field.type === 'strings' || field.type === 'items') return true
    const plain = field.plainUntil && specAtLeast(field.plainUntil, this.#spec)
    return !plain && !field.plain
  }
}

const [smallestInt, largestInt] = [-(2n ** 63n), 2n ** 63n - 1n]

function readInt(node: JsonNode, name: string, place: Place): number | undefined {
  if (node.kind !== 'number') {
    // Users of YAML often write octal digits in quotes.
    const hint = name === 'mode' && node.kind === 'string' ? modeHint(node.text) : undefined
    wrongType(node, hint === undefined ? 'an integer' : `an integer (${hint})`, place)
    return undefined
  }
  if (!/^-?\d+$/.test(node.text)) {
    place.error('must be an integer, without a fraction or an exponent')
    return undefined
  }
  const value = Number(node.text)
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  const exact = node.text.length > 20 ? undefined : BigInt(node.text)
  if (exact === undefined || exact < smallestInt || exact > largestInt) {
    place.error('is out of range')
  } else if (exact !== BigInt(value)) {
    place.warn(`is too large to be represented exactly; it is rounded to ${value}`)
  }
  return value
}

function wrongType(node: JsonNode, expected: string, place: Place): void {
  place.error(`must be ${expected}, not ${kindText[node.kind]}`)
}

const kindText: Readonly<Record<JsonNode['kind'], string>> = {
  null: 'null',
  bool: 'true or false',
  number: 'a number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
}
