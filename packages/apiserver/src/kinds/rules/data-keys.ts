import { sameJson } from '@machinist/core/json'
import type { Cause } from '../../refusal.ts'
import { forbidden, invalidValue, tooLong } from '../../schema/causes.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from './fields.ts'
import { textOf } from './fields.ts'

/** Config maps and secrets: files for pods, so that their keys must be good names of files. */
export const mostDataBytes = 1024 * 1024

const goodKey = /^[-._a-zA-Z0-9]+$/
const goodKeySaid =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const longestKey = 253

export function keyProblems(bag: string, key: string): Cause[] {
  const problems: string[] = []
  if (key.length > longestKey) problems.push(`must be no more than ${longestKey} characters`)
  if (!goodKey.test(key)) problems.push(goodKeySaid)
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`)
  else if (key.startsWith('..')) problems.push("must not start with '..'")
  return problems.map((problem) => invalidValue(`${bag}[${key}]`, key, problem))
}

export const dataBytes = (data: Fields, encoding: 'utf8' | 'base64'): number =>
  Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(textOf(value), encoding),
    0,
  )

export const tooMuchData = (field: string): Cause => tooLong(field, mostDataBytes)

/** `immutable: true` is for ever. */
export function sealedProblems(
  object: ApiObject,
  before: ApiObject | undefined,
  bags: readonly string[],
): Cause[] {
  if (before?.['immutable'] !== true) return []
  const changed = bags.filter((bag) => !sameJson(object[bag] ?? {}, before[bag] ?? {}))
  const opened = object['immutable'] === true ? [] : ['immutable']
  return [...opened, ...changed].map((field) =>
    forbidden(field, 'field is immutable when `immutable` is set'),
  )
}
