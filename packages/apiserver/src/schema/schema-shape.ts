import { isObject } from '@machinist/core/json'
import type { Cause } from '../refusal.ts'
import { invalidValue } from './causes.ts'
import { deepest, isTooDeep } from './depth.ts'
import { typeOf } from './types.ts'

/** Where a schema, which comes from a client, is not even of the right JSON types. Look here before anything else. */
export function shapeProblems(schema: unknown, path: string): Cause[] {
  if (isTooDeep(schema)) {
    return [invalidValue(path, 'object', `must not be nested deeper than ${deepest}`)]
  }
  return inSchema(schema, path)
}

type Look = (value: unknown, path: string) => Cause[]

function inSchema(schema: unknown, path: string): Cause[] {
  return inMembers(words, schema, path)
}

function inMembers(known: Readonly<Record<string, Look>>, value: unknown, path: string): Cause[] {
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

function wrong(path: string, value: unknown, must: string): Cause {
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
