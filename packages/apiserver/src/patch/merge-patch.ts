import { isObject } from '@machinist/core/json'
import { applyMergePatch } from '@machinist/core/merge-patch'
import { badRequest } from '../refusal.ts'
import { goJsonType } from './go-text.ts'

/** What a merge patch (RFC 7386) makes of an object. Throws Refusal. */
export function applyServerMergePatch(
  object: Readonly<Record<string, unknown>>,
  patch: unknown,
): Record<string, unknown> {
  if (patch === null) throw badRequest('Invalid JSON Patch')
  if (!isObject(patch)) {
    const type = goJsonType(patch)
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    )
  }
  return applyMergePatch(object, patch) as Record<string, unknown>
}
