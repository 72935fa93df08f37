import { isObject, sameJson } from '../encoding/json.ts'

/**
 * The merge patch (RFC 7386) that turns `before` into `after`; `undefined` if they are equal. A merge patch cannot set a member
 * to `null`; a `null` in `after` removes the member.
 */
export function mergePatchBetween(before: object, after: object): object | undefined {
  return differences(before as Members, after as Members)
}

/** The result of applying `patch` to `target`. Neither is modified. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else if (value !== undefined) result.set(key, applyMergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}

type Members = Record<string, unknown>

function differences(before: Members, after: Members): Members | undefined {
  const changes = new Map<string, unknown>()
  for (const [key, desired] of Object.entries(after)) {
    const present = Object.hasOwn(before, key) ? before[key] : undefined
    if (desired === undefined || sameJson(present, desired)) continue
    changes.set(key, change(present, desired))
  }
  for (const key of Object.keys(before)) {
    const isRemoved = !Object.hasOwn(after, key) || after[key] === undefined
    if (isRemoved && before[key] !== undefined) changes.set(key, null)
  }
  return changes.size === 0 ? undefined : Object.fromEntries(changes)
}

function change(present: unknown, desired: unknown): unknown {
  if (!isObject(desired)) return desired
  // The server merges into an empty object if the member is absent or a scalar.
  return differences(isObject(present) ? present : {}, desired) ?? {}
}
