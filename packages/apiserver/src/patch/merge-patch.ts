import { isObject } from '@machinist/core/encoding/json'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import { badRequest } from '../status/status-error.ts'
import { goJsonType } from '../go/value-text.ts'

/** Applies a merge patch (RFC 7386) to an object. Throws a StatusError. */
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
