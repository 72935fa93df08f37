import type { KubeObject } from '@machinist/core/objects/resource'
import { withoutManagedFields } from '@machinist/core/objects/resource'

/** A patch that is ready to send: the body and the patch type. */
export interface Patch {
  readonly contentType: string
  readonly body: unknown
  readonly fieldManager?: string
  readonly force?: boolean
}

/** JSON merge patch (RFC 7386): merges objects, removes fields with `null`, replaces whole lists. Works for every kind. */
export function mergePatch(body: object): Patch {
  return { contentType: 'application/merge-patch+json', body }
}

/** JSON patch (RFC 6902): a list of operations. A `test` operation makes the patch conditional. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: 'application/json-patch+json', body: operations }
}

/** Strategic merge patch: like a merge patch, but merges lists by key. Built-in kinds only. */
export function strategicPatch(body: object): Patch {
  return { contentType: 'application/strategic-merge-patch+json', body }
}

export interface ApplyOptions {
  readonly fieldManager: string
  /** Take over fields that another field manager owns. */
  readonly force?: boolean
}

/** Server-side apply: `body` is the complete intent of this field manager. The manager gives up fields that are not in it. */
export function apply(body: KubeObject, options: ApplyOptions): Patch {
  return {
    contentType: 'application/apply-patch+yaml',
    // Servers reject an apply that contains managedFields.
    body: withoutManagedFields(body),
    ...options,
  }
}

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** `/metadata/annotations/example.com~1key`: segments with `/` and `~` escaped. */
export function jsonPointer(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
}

/** Adds a test of the resourceVersion: the server rejects the patch if the object has changed since it was read. */
export function ifUnchanged(
  read: KubeObject,
  operations: readonly JsonPatchOperation[],
): JsonPatchOperation[] {
  const { resourceVersion } = read.metadata
  if (resourceVersion === undefined) {
    throw new TypeError(
      `${read.metadata.name} has no resourceVersion: it was not read from a server`,
    )
  }
  const path = jsonPointer('metadata', 'resourceVersion')
  return [{ op: 'test', path, value: resourceVersion }, ...operations]
}
