import { sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../status/status-error.ts'
import { forbidden, invalidValue, tooLong } from '../../status/causes.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { textOf } from '../fields.ts'

/** Limit for ConfigMaps and Secrets. Their keys become file names in pods. */
export const maxDataBytes = 1024 * 1024

const validKey = /^[-._a-zA-Z0-9]+$/
const validKeyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const longestKey = 253

export function keyProblems(bag: string, key: string): StatusCause[] {
  const problems: string[] = []
  if (key.length > longestKey) problems.push(`must be no more than ${longestKey} characters`)
  if (!validKey.test(key)) problems.push(validKeyMessage)
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`)
  else if (key.startsWith('..')) problems.push("must not start with '..'")
  return problems.map((problem) => invalidValue(`${bag}[${key}]`, key, problem))
}

export const dataBytes = (data: Fields, encoding: 'utf8' | 'base64'): number =>
  Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(textOf(value), encoding),
    0,
  )

export const tooMuchData = (field: string): StatusCause => tooLong(field, maxDataBytes)

/** `immutable: true` is permanent. */
export function immutableProblems(
  object: ApiObject,
  before: ApiObject | undefined,
  bags: readonly string[],
): StatusCause[] {
  if (before?.['immutable'] !== true) return []
  const changed = bags.filter((bag) => !sameJson(object[bag] ?? {}, before[bag] ?? {}))
  const opened = object['immutable'] === true ? [] : ['immutable']
  return [...opened, ...changed].map((field) =>
    forbidden(field, 'field is immutable when `immutable` is set'),
  )
}
