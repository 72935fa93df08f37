import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { Json } from '@machinist/core/encoding/json'
import { WireReader, malformed } from './wire-reader.ts'

/** Types that are messages in protobuf and have another form in JSON. */
export const specialTypes: Readonly<Record<string, (bytes: Uint8Array) => Json>> = {
  Quantity: (bytes) => textField(bytes, 1) ?? '0',
  IntOrString(bytes) {
    const { 1: isText, 2: number } = numberFields(bytes)
    return isText === 1 ? (textField(bytes, 3) ?? '') : (number ?? 0)
  },
  // Kubernetes truncates to seconds (or microseconds) in JSON.
  Time: (bytes) => time(bytes, ({ seconds }) => `${seconds}Z`),
  MicroTime: (bytes) =>
    time(bytes, ({ seconds, micros }) => `${seconds}.${micros.toString().padStart(6, '0')}Z`),
  FieldsV1: rawJson,
  JSON: rawJson,
}

interface Moment {
  /** `2024-05-06T07:08:09` */
  readonly seconds: string
  readonly micros: number
}

/** An unset time is an empty message, and `null` in JSON. */
function time(bytes: Uint8Array, print: (moment: Moment) => string): Json {
  if (bytes.length === 0) return null
  const { 1: seconds = 0, 2: nanos = 0 } = numberFields(bytes)
  const earliest = -62_135_596_800
  const latest = 253_402_300_799
  if (seconds < earliest || seconds > latest || nanos < 0 || nanos > 999_999_999) {
    throw malformed('a time is not between the years 1 and 9999')
  }
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  return print({ seconds: text, micros: Math.floor(nanos / 1000) })
}

/** Bytes that contain JSON. */
function rawJson(bytes: Uint8Array): Json {
  const text = textField(bytes, 1) ?? ''
  if (text === '') return null
  try {
    return JSON.parse(text) as Json
  } catch {
    throw malformed('a field that carries JSON text does not parse')
  }
}

function textField(bytes: Uint8Array, expected: number): string | undefined {
  const reader = new WireReader(bytes)
  let text: string | undefined
  while (!reader.done) {
    const { number, type } = reader.field()
    if (number === expected && type === 'bytes') text = lenientUtf8(reader.bytes())
    else reader.skip(type)
  }
  return text
}

function numberFields(bytes: Uint8Array): Record<number, number> {
  const reader = new WireReader(bytes)
  const numbers: Record<number, number> = {}
  while (!reader.done) {
    const { number, type } = reader.field()
    if (type === 'varint') numbers[number] = Number(BigInt.asIntN(64, reader.varint()))
    else reader.skip(type)
  }
  return numbers
}
