import { readDuration } from '@machinist/core/duration'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { ObjectKey } from '@machinist/core/objects/resource'

/* Fields of a spec that may have been stored without a schema; `at` is the field for the message. All throw InvalidInput. */

export function keyIn(value: Partial<ObjectKey> | undefined, at: string): ObjectKey {
  const { namespace, name } = isObject(value) ? value : {}
  if (typeof namespace !== 'string' || typeof name !== 'string' || !namespace || !name) {
    throw new InvalidInput(`spec.${at} does not name an object: namespace and name are needed`)
  }
  return { namespace, name }
}

export function durationIn(text: unknown, at: string): number {
  const ms = typeof text === 'string' ? readDuration(text) : undefined
  if (ms !== undefined && ms > 0) return ms
  throw new InvalidInput(`spec.${at} is not a duration such as 8760h or 1h30m`)
}

export function listIn<T>(value: readonly T[], at: string): readonly T[] {
  if (Array.isArray(value)) return value as readonly T[]
  throw new InvalidInput(`spec.${at} is not a list`)
}

export function textsIn(value: readonly unknown[], at: string): readonly string[] {
  const texts = listIn(value, at)
  if (texts.every((each) => typeof each === 'string')) return texts
  throw new InvalidInput(`spec.${at} is not a list of strings`)
}

export const textOr = (value: unknown): string => (typeof value === 'string' ? value : '…')
