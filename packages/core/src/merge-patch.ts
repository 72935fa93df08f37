import { isObject, sameJson } from './json.ts'

/**
 * The merge patch (RFC 7386) that turns `before` into `after`; `undefined` when there is nothing to change.
 * A `null` inside an object of `after` cannot be said in this language and is sent as "remove", as the RFC notes.
 */
export function mergePatchBetween(before: object, after: object): object | undefined {
  return differences(before as Members, after as Members)
}

/** What a server makes of `target` when it is sent `patch`. Neither is changed. */
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
  for (const [key, wanted] of Object.entries(after)) {
    const present = Object.hasOwn(before, key) ? before[key] : undefined
    if (wanted === undefined || sameJson(present, wanted)) continue
    changes.set(key, change(present, wanted))
  }
  for (const key of Object.keys(before)) {
    const gone = !Object.hasOwn(after, key) || after[key] === undefined
    if (gone && before[key] !== undefined) changes.set(key, null)
  }
  return changes.size === 0 ? undefined : Object.fromEntries(changes)
}

function change(present: unknown, wanted: unknown): unknown {
  if (!isObject(wanted)) return wanted
  // Onto nothing (or a scalar) the server merges into an empty object, so that is what differs.
  return differences(isObject(present) ? present : {}, wanted) ?? {}
}
