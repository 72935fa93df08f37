import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { applyConfiguration } from '../patch/apply/apply-configuration.ts'
import { trackFields } from '../patch/apply/track-fields.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyServerMergePatch } from '../patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../patch/strategic/strategic-merge.ts'
import { badRequest } from '../status/status-error.ts'
import type { FieldTracker, Patcher, PatchRequest } from './verb-context.ts'

const applyType = 'application/apply-patch+yaml'
const strategicType = 'application/strategic-merge-patch+json'

type Apply = (current: ApiObject, request: PatchRequest) => unknown

const byType: Readonly<Record<string, Apply>> = {
  'application/json-patch+json': (current, { body }) => applyJsonPatch(current, body),
  'application/merge-patch+json': (current, { body }) => applyServerMergePatch(current, body),
  [strategicType]: (current, { body, kind }) => applyStrategicMergePatch(current, body, kind),
}

/** All patch types. */
export const patchers: Patcher = {
  knows: (mediaType) => mediaType === applyType || Object.hasOwn(byType, mediaType),
  accepts: ({ builtIn }) =>
    [...Object.keys(byType), applyType].filter((type) => builtIn || type !== strategicType),
  creates: (mediaType) => mediaType === applyType,
  apply(request) {
    const { current, mediaType, body, kind, fieldManager, subresource, force, now } = request
    if (mediaType === applyType) {
      const writing = { kind, manager: fieldManager, now, subresource, force }
      return applyConfiguration(current, body, writing) as ApiObject
    }
    const result = byType[mediaType]!(current!, request)
    if (!isObject(result)) throw badRequest('the patched object is no object')
    return { ...result, metadata: result['metadata'] ?? {} } as ApiObject
  },
}

/** Tracks field owners in managedFields. */
export const fieldOwners: FieldTracker = {
  updated: ({ before, after, ...writing }) => trackFields(before, after, writing) as ApiObject,
}
