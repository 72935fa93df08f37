import { isObject } from '@machinist/core/encoding/json'
import {
  base64Problem,
  isNumber,
  NumberText,
  numberProblem,
  quantityProblem,
  valueName,
} from './go-scalars.ts'
import { timeProblem } from './go-time.ts'
import type { Field, Message } from './message-text.ts'
import { allFields, messageNamed } from './messages.ts'

/**
 * Go's error for the first field with a value of the wrong type. Invalid times and quantities end the decoding
 * immediately, so they take precedence over earlier fields.
 */
export function mistypedField(message: Message, value: unknown): string | undefined {
  const found = firstIn((report) => lookAtStruct(message, value, { struct: '', path: '' }, report))
  return found && textOf(found)
}

/** The same for metadata, as custom resources are decoded. */
export function mistypedMetadata(value: unknown): string | undefined {
  return mistypedField(messageNamed('meta.ObjectMeta')!, value)
}

/** Position of a value: innermost struct and field path, without indices and keys. */
interface Spot {
  readonly struct: string
  readonly path: string
}

interface Mistake {
  readonly at: Spot
  /** The value and the expected type, or a complete message. */
  readonly value: string
  readonly type?: string
}

type Report = (mistake: Mistake) => void

/** Ends the decoding. */
class Unreadable extends Error {
  readonly mistake: Mistake

  constructor(mistake: Mistake) {
    super(textOf(mistake))
    this.name = 'Unreadable'
    this.mistake = mistake
  }
}

function textOf({ at, value, type }: Mistake): string {
  if (type === undefined) return value
  const where = at.path === '' ? 'value' : `struct field ${at.struct}.${at.path}`
  return `json: cannot unmarshal ${value} into Go ${where} of type ${type}`
}

function firstIn(look: (report: Report) => void): Mistake | undefined {
  let first: Mistake | undefined
  try {
    look((mistake) => (first ??= mistake))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return error.mistake
  }
  return first
}

function lookAtStruct(message: Message, value: unknown, at: Spot, report: Report): void {
  const struct = message.name.split('.')[1]!
  if (!isObject(value) || value instanceof NumberText) {
    report({ at, value: valueName(value), type: `v1.${struct}` })
    return
  }
  const fields = fieldsOf(message)
  for (const name of Object.keys(value)) {
    const field = fields.get(name)
    if (!field) continue
    const path = at.path === '' ? name : `${at.path}.${name}`
    lookAtField(field, value[name], { struct, path }, report)
  }
}

function lookAtField(field: Field, value: unknown, at: Spot, report: Report): void {
  const { shape, type, goName } = field
  if (value === null) return
  const one = (item: unknown): void => {
    if (item !== null) lookAtOne(type, goName ?? type, item, at, report)
  }
  if (shape === 'one') return one(value)
  const fits = shape === 'list' ? Array.isArray(value) : isObject(value)
  if (!fits || value instanceof NumberText) {
    report({ at, value: valueName(value), type: wholeName(field) })
    return
  }
  for (const item of Object.values(value as object)) one(item)
}

/** `[]v1.Container`, `map[string]string`, `v1.ResourceList` */
function wholeName({ shape, type, goName }: Field): string {
  if (goName !== undefined && type !== 'string') return goName
  const one = goName ?? goNames[type] ?? `v1.${type.split('.')[1]}`
  return shape === 'list' ? `[]${one}` : `map[string]${one}`
}

const goNames: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  JSON: 'v1.JSON',
}

function lookAtOne(type: string, goName: string, value: unknown, at: Spot, report: Report): void {
  const special = specials[type]
  if (special) return special(value, at, report, goName)
  const message = messageNamed(type)!
  if (message.role === 'either') lookAtEither(message, value, at, report)
  else lookAtStruct(message, value, at, report)
}

type Look = (value: unknown, at: Spot, report: Report, goName: string) => void

const specials: Readonly<Record<string, Look>> = {
  string: (value, at, report, goName) => {
    if (typeof value !== 'string') report({ at, value: valueName(value), type: goName })
  },
  bool: (value, at, report) => {
    if (typeof value !== 'boolean') report({ at, value: valueName(value), type: 'bool' })
  },
  int32: wholeNumber('int32'),
  int64: wholeNumber('int64'),
  double: (value, at, report) => {
    if (!isNumber(value)) report({ at, value: valueName(value), type: 'float64' })
  },
  bytes: (value, at, report) => {
    if (Array.isArray(value)) {
      for (const item of value) wholeNumber('uint8')(item, at, report, 'uint8')
    } else if (typeof value === 'string') {
      const wrong = base64Problem(value)
      if (wrong !== undefined) report({ at, value: wrong })
    } else {
      report({ at, value: valueName(value), type: '[]uint8' })
    }
  },
  Quantity: (value, at) => {
    const text = value instanceof NumberText ? value.text : value
    const printed = typeof text === 'string' ? text.trim() : JSON.stringify(text)
    const wrong = quantityProblem(printed)
    if (wrong !== undefined) throw new Unreadable({ at, value: wrong })
  },
  IntOrString: (value, at) => {
    if (typeof value !== 'string') wholeNumber('int32')(value, at, end, 'int32')
  },
  Time: (value, at) => lookAtTime(value, at, false),
  MicroTime: (value, at) => lookAtTime(value, at, true),
  FieldsV1: () => {},
  JSON: () => {},
}

const end: Report = (mistake) => {
  throw new Unreadable(mistake)
}

function wholeNumber(type: 'int32' | 'int64' | 'uint8'): Look {
  return (value, at, report) => {
    const wrong = isNumber(value) ? numberProblem(value, type) : valueName(value)
    if (wrong !== undefined) report({ at, value: wrong, type })
  }
}

function lookAtTime(value: unknown, at: Spot, micro: boolean): void {
  if (typeof value !== 'string') end({ at, value: valueName(value), type: 'string' })
  const wrong = timeProblem(value as string, micro)
  if (wrong !== undefined) end({ at, value: wrong })
}

/** A named list, or a type with its own decoder, which reports errors at its own position. */
function lookAtEither(message: Message, value: unknown, at: Spot, report: Report): void {
  const [first, second] = [...message.fields.values()]
  if (second === undefined) {
    if (Array.isArray(value)) lookAtField(first!, value, at, report)
    else report({ at, value: valueName(value), type: `v1.${message.name.split('.')[1]}` })
    return
  }
  if (first!.type === 'bool') {
    if (typeof value === 'boolean') return
    if (!isObject(value)) end({ at, value: 'boolean or JSON schema expected' })
  }
  const chosen = Array.isArray(value) ? second : [first!, second].find(isSchema)
  if (!chosen || !(Array.isArray(value) || isObject(value))) return
  const found = firstIn((inner) => lookAtField(chosen, value, at, inner))
  if (found) end({ ...found, at })
}

const isSchema = ({ type, shape }: Field): boolean =>
  shape === 'one' && type === 'apiextensions.JSONSchemaProps'

const known = new WeakMap<Message, ReadonlyMap<string, Field>>()

function fieldsOf(message: Message): ReadonlyMap<string, Field> {
  const made = known.get(message) ?? new Map(allFields(message).map((each) => [each.name, each]))
  known.set(message, made)
  return made
}
