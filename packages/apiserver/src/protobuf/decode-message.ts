import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { Json, JsonObject } from '@machinist/core/encoding/json'
import type { Field, Message } from './message-text.ts'
import { messageNamed } from './messages.ts'
import { specialTypes } from './special-types.ts'
import type { WireType } from './wire-reader.ts'
import { WireReader, malformed } from './wire-reader.ts'

/**
 * Decodes a message to the JSON that Go would print: empty fields are omitted unless they are pointers or Kubernetes
 * always prints them. Unknown fields are skipped.
 */
export function decodeMessage(bytes: Uint8Array, message: Message, depth = 0): JsonObject {
  if (depth > deepest) throw malformed('its messages are nested too deeply')
  const object: JsonObject = {}
  const reader = new WireReader(bytes)
  while (!reader.done) {
    const { number, type } = reader.field()
    const field = message.fields.get(number)
    if (field) readField({ reader, type, field, depth }, object)
    else reader.skip(type)
  }
  for (const { shape, pointer, always, name, type } of message.fields.values()) {
    const canBeNil = shape !== 'one' || pointer || type === 'bytes'
    if (always && canBeNil && !Object.hasOwn(object, name)) object[name] = null
  }
  return object
}

/** JSONSchemaProps is the only recursive message. */
const deepest = 300

/** A field whose tag has been read. */
interface Place {
  readonly reader: WireReader
  readonly type: WireType
  readonly field: Field
  readonly depth: number
}

function readField(place: Place, object: JsonObject): void {
  const { field } = place
  if (field.shape === 'map') {
    const map = (object[field.name] as JsonObject | undefined) ?? {}
    setOwn(map, ...mapEntry(place))
    object[field.name] = map
  } else if (field.shape === 'list') {
    const list = (object[field.name] as Json[] | undefined) ?? []
    for (const value of elements(place)) list.push(value)
    object[field.name] = list
  } else readSingle(place, object)
}

function readSingle(place: Place, object: JsonObject): void {
  const { field } = place
  const value = element(place)
  if (field.name === '') Object.assign(object, value)
  else if (field.pointer || field.always || !isZero(value, field)) object[field.name] = value
  else delete object[field.name]
}

/** An assignment that treats `__proto__` like any other key. */
function setOwn(map: JsonObject, key: string, value: Json): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true })
}

function mapEntry({ reader, type, field, depth }: Place): [string, Json] {
  expectType(type, 'bytes', field)
  const entry = new WireReader(reader.bytes())
  let key = ''
  let value: Json | undefined
  while (!entry.done) {
    const part = entry.field()
    if (part.number === 1 && part.type === 'bytes') key = lenientUtf8(entry.bytes())
    else if (part.number === 2) value = element({ reader: entry, type: part.type, field, depth })
    else entry.skip(part.type)
  }
  return [key, value ?? emptyOf(field, depth)]
}

/** The value of a map entry that has none on the wire. */
function emptyOf(field: Field, depth: number): Json {
  if (field.type === 'string' || field.type === 'bytes') return ''
  return messageValue(new Uint8Array(), field, depth)
}

/** One element, or several for packed numbers. */
function elements(place: Place): Json[] {
  if (place.type !== 'bytes' || !isVarint(place.field.type)) return [element(place)]
  const packed = new WireReader(place.reader.bytes())
  const all: Json[] = []
  while (!packed.done) all.push(element({ ...place, reader: packed, type: 'varint' }))
  return all
}

function element({ reader, type, field, depth }: Place): Json {
  if (isVarint(field.type)) {
    expectType(type, 'varint', field)
    return varint(reader.varint(), field.type)
  }
  if (field.type === 'double') {
    expectType(type, 'fixed64', field)
    const number = reader.double()
    if (!Number.isFinite(number)) throw malformed(`${field.name} is not a finite number`)
    return number
  }
  expectType(type, 'bytes', field)
  const bytes = reader.bytes()
  if (field.type === 'string') return lenientUtf8(bytes)
  if (field.type === 'bytes') return Buffer.from(bytes).toString('base64')
  return messageValue(bytes, field, depth)
}

function messageValue(bytes: Uint8Array, field: Field, depth: number): Json {
  const special = specialTypes[field.type]
  if (special) return special(bytes)
  const message = messageNamed(field.type)!
  const value = decodeMessage(bytes, message, depth + 1)
  return message.role === 'either' ? lastSet(message, value) : value
}

function lastSet(message: Message, value: JsonObject): Json {
  const set = [...message.fields.values()].filter(({ name }) => Object.hasOwn(value, name))
  return set.length === 0 ? null : value[set.at(-1)!.name]!
}

const isVarint = (type: string): boolean => type === 'bool' || type === 'int32' || type === 'int64'

function varint(value: bigint, type: string): Json {
  if (type === 'bool') return value !== 0n
  return Number(BigInt.asIntN(type === 'int32' ? 32 : 64, value))
}

/** Go omits empty scalars, but never structs. */
function isZero(value: Json, field: Field): boolean {
  if (field.type === 'Quantity' || field.type === 'IntOrString') return false
  return value === '' || value === 0 || value === false
}

function expectType(got: WireType, expected: WireType, { name, type }: Field): void {
  if (got !== expected) throw malformed(`${name || type} is written as ${got}, not ${expected}`)
}
