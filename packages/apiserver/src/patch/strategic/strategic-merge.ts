import { isObject } from '@machinist/core/encoding/json'
import { badRequest } from '../../status/status-error.ts'
import { goJsonType, goText } from '../../go/value-text.ts'
import type { PatchedKind } from '../shapes/shape-of-kind.ts'
import { shapeOfKind } from '../shapes/shape-of-kind.ts'
import type { Shape } from '../shapes/shape.ts'
import { shapeAt } from '../shapes/shape.ts'
import { applyOrders } from './element-order.ts'
import type { Members } from './directives.ts'
import {
  deletedPrefix,
  directive,
  failure,
  orderPrefix,
  retainedKeys,
  unsupportedFormat,
  withoutDirectives,
  withoutNulls,
} from './directives.ts'
import { mergedList, withoutItems } from './lists.ts'

/**
 * Applies a strategic merge patch to an object of a built-in kind. The inputs are not modified. Throws a StatusError.
 */
export function applyStrategicMergePatch(
  object: Readonly<Record<string, unknown>>,
  patch: unknown,
  kind: PatchedKind,
): Record<string, unknown> {
  if (!kind.builtIn) throw unsupportedFormat()
  if (patch !== null && !isObject(patch)) {
    const type = goJsonType(patch)
    throw badRequest(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`)
  }
  return mergedObject(object, patch ?? {}, shapeOfKind(kind))
}

/** Merges a patch into an object. */
function mergedObject(
  original: Readonly<Members>,
  patch: Readonly<Members>,
  shape: Shape,
): Members {
  if (Object.hasOwn(patch, directive)) return directed(patch)
  const { kept, rest } = retained(original, patch)
  const ordered = applyOrders(kept, rest, shape, mergedObject)
  const result = new Map(Object.entries(ordered.original))
  for (const [key, value] of Object.entries(ordered.patch)) {
    const isDeletion = key.startsWith(deletedPrefix)
    mergeField(result, isDeletion ? key.slice(deletedPrefix.length) : key, value, isDeletion, shape)
  }
  return Object.fromEntries(result)
}

/** `$patch: replace` and `$patch: delete` of a whole object. */
function directed(patch: Readonly<Members>): Members {
  const { [directive]: what, ...rest } = patch
  if (what === 'replace') return rest
  if (what === 'delete') return {}
  throw failure(`unknown patch type: ${goText(what)} in map: ${goText(patch)}`)
}

/** `$retainKeys`: removes all other keys. */
function retained(
  original: Readonly<Members>,
  patch: Readonly<Members>,
): { kept: Readonly<Members>; rest: Readonly<Members> } {
  if (!Object.hasOwn(patch, retainedKeys)) return { kept: original, rest: patch }
  const { [retainedKeys]: names, ...rest } = patch
  if (!Array.isArray(names)) throw badRequest('invalid patch format of retainKeys')
  const keys = new Set<unknown>(names)
  const isNamed = ([key, value]: [string, unknown]): boolean =>
    value === null || key.startsWith(deletedPrefix) || key.startsWith(orderPrefix) || keys.has(key)
  if (!Object.entries(rest).every(isNamed)) throw badRequest('invalid patch format of retainKeys')
  const kept = Object.entries(original).filter(([key]) => keys.has(key))
  return { kept: Object.fromEntries(kept), rest }
}

function mergeField(
  result: Map<string, unknown>,
  key: string,
  value: unknown,
  isDeletion: boolean,
  shape: Shape,
): void {
  const present = result.get(key)
  if (value === null) {
    result.delete(key)
  } else if (isObject(present) && isObject(value)) {
    const below = shapeAt(shape, key)
    const replaces = below.patch?.strategy === 'replace'
    result.set(key, replaces ? value : mergedObject(present, value, below))
  } else if (Array.isArray(present) && Array.isArray(value)) {
    const below = shapeAt(shape, key)
    const merges = below.patch?.strategy === 'merge'
    if (isDeletion) result.set(key, withoutItems(present, value))
    else result.set(key, merges ? mergedList(present, value, below, mergedObject) : value)
  } else if (!isDeletion) {
    const clean = withoutDirectives(withoutNulls(value))
    if (clean === undefined) result.delete(key)
    else result.set(key, clean)
  }
}
