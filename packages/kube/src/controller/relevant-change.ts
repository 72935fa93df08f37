import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Change } from '../informer/change.ts'

/** Whether a change affects the selected part of an object. Other changes need no reconcile. */
export function isRelevantChange<T extends KubeObject>(
  change: Change<T>,
  select: (object: Readonly<T>) => unknown,
): boolean {
  return change.type !== 'updated' || !sameJson(select(change.object), select(change.before))
}
