import { isObject } from '@machinist/core/encoding/json'
import { StatusError } from '../../status/status-error.ts'

export type Members = Record<string, unknown>

export const directive = '$patch'
export const retainedKeys = '$retainKeys'
export const deletedPrefix = '$deleteFromPrimitiveList/'
export const orderPrefix = '$setElementOrder/'

/** kube-apiserver answers most invalid strategic patches with an internal error without a reason. */
export function failure(message: string): StatusError {
  return new StatusError(500, '', message)
}

/** Custom resources have no patch strategies. */
export function unsupportedFormat(): StatusError {
  const accepted =
    'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`
  return new StatusError(415, 'UnsupportedMediaType', message)
}

/** A new value without directives; undefined if the value was a directive. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutDirectives).filter((item) => item !== undefined)
  }
  if (!isObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  const kept = Object.entries(value)
    .map(([key, content]) => [key, withoutDirectives(content)] as const)
    .filter(([, content]) => content !== undefined)
  return Object.fromEntries(kept)
}

/** In a new value, null means absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, content]) => content !== null)
  return Object.fromEntries(kept.map(([key, content]) => [key, withoutNulls(content)]))
}
