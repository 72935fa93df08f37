import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'
import { deepest, isTooDeep } from './structure/depth.ts'
import { typeOf } from './types.ts'

/** Checks the JSON types of a client's schema. Must run before all other checks. */
export function shapeProblems(schema: unknown, path: string): StatusCause[] {
  if (isTooDeep(schema)) {
    return [invalidValue(path, 'object', `must not be nested deeper than ${deepest}`)]
  }
  return inSchema(schema, path)
}

type Look = (value: unknown, path: string) => StatusCause[]

function inSchema(schema: unknown, path: string): StatusCause[] {
  return inMembers(words, schema, path)
}

function inMembers(
  known: Readonly<Record<string, Look>>,
  value: unknown,
  path: string,
): StatusCause[] {
  if (!isObject(value)) return [wrong(path, value, 'an object')]
  return Object.keys(value).flatMap((key) => {
    const look = Object.hasOwn(known, key) ? known[key] : undefined
    return value[key] === undefined || !look ? [] : look(value[key], `${path}.${key}`)
  })
}

const is =
  (type: string): Look =>
  (value, path) => {
    const found = typeOf(value)
    const fits = found === type || (type === 'number' && found === 'integer')
    return fits ? [] : [wrong(path, value, `of type ${type}`)]
  }

const listOf =
  (look: Look): Look =>
  (value, path) => {
    if (!Array.isArray(value)) return [wrong(path, value, 'a list')]
    return value.flatMap((item, index) => look(item, `${path}[${index}]`))
  }

const mapOfSchemas: Look = (value, path) => {
  if (!isObject(value)) return [wrong(path, value, 'an object')]
  return Object.keys(value).flatMap((key) => inSchema(value[key], `${path}[${key}]`))
}

const rule: Look = (value, path) => inMembers(ruleWords, value, path)

function wrong(path: string, value: unknown, must: string): StatusCause {
  return invalidValue(path, typeOf(value), `must be ${must}`)
}

const ruleWords: Readonly<Record<string, Look>> = {
  rule: is('string'),
  message: is('string'),
  messageExpression: is('string'),
  reason: is('string'),
  fieldPath: is('string'),
  optionalOldSelf: is('boolean'),
}

const words: Readonly<Record<string, Look>> = {
  description: is('string'),
  type: is('string'),
  format: is('string'),
  nullable: is('boolean'),
  enum: listOf(() => []),
  pattern: is('string'),
  minLength: is('integer'),
  maxLength: is('integer'),
  minimum: is('number'),
  maximum: is('number'),
  exclusiveMinimum: is('boolean'),
  exclusiveMaximum: is('boolean'),
  multipleOf: is('number'),
  minItems: is('integer'),
  maxItems: is('integer'),
  uniqueItems: is('boolean'),
  minProperties: is('integer'),
  maxProperties: is('integer'),
  required: listOf(is('string')),
  properties: mapOfSchemas,
  additionalProperties: (value, path) => (typeof value === 'boolean' ? [] : inSchema(value, path)),
  items: inSchema,
  allOf: listOf(inSchema),
  anyOf: listOf(inSchema),
  oneOf: listOf(inSchema),
  not: inSchema,
  'x-kubernetes-preserve-unknown-fields': is('boolean'),
  'x-kubernetes-embedded-resource': is('boolean'),
  'x-kubernetes-int-or-string': is('boolean'),
  'x-kubernetes-list-type': is('string'),
  'x-kubernetes-list-map-keys': listOf(is('string')),
  'x-kubernetes-map-type': is('string'),
  'x-kubernetes-validations': listOf(rule),
}
