import type { KubeObject } from '@machinist/core/resource'
import { withoutManagedFields } from '@machinist/core/resource'

/** A change to an object, ready to send: what it says, how the server shall read it. */
export interface Patch {
  readonly contentType: string
  readonly body: unknown
  readonly fieldManager?: string
  readonly force?: boolean
}

/** RFC 7386: objects are merged, `null` removes, lists are replaced whole. Works for every kind. */
export function mergePatch(body: object): Patch {
  return { contentType: 'application/merge-patch+json', body }
}

/** RFC 6902: a list of operations; with `test` they happen only if the object still is as expected. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: 'application/json-patch+json', body: operations }
}

/** As merge, but lists are merged by their keys. Kubernetes' own kinds only. */
export function strategicPatch(body: object): Patch {
  return { contentType: 'application/strategic-merge-patch+json', body }
}

export interface ApplyOptions {
  readonly fieldManager: string
  /** Take fields over from whoever owns them now. */
  readonly force?: boolean
}

/** Server-side apply: `body` is all that this manager wants; what it no longer names, it gives up. */
export function apply(body: KubeObject, options: ApplyOptions): Patch {
  return {
    contentType: 'application/apply-patch+yaml',
    // A server refuses to apply an object that still carries them.
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

/** The operations, to be refused by the server if the object has changed since `seen`. */
export function ifUnchanged(
  seen: KubeObject,
  operations: readonly JsonPatchOperation[],
): JsonPatchOperation[] {
  const { resourceVersion } = seen.metadata
  if (resourceVersion === undefined) {
    throw new TypeError(
      `${seen.metadata.name} has no resourceVersion: it did not come from a server`,
    )
  }
  const path = jsonPointer('metadata', 'resourceVersion')
  return [{ op: 'test', path, value: resourceVersion }, ...operations]
}
