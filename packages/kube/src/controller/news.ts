import { sameJson } from '@machinist/core/json'
import type { KubeObject } from '@machinist/core/resource'
import type { Change } from '../informer/change.ts'

/** Whether a change tells anything new to somebody who only looks at some of an object; all else makes no work. */
export function isNews<T extends KubeObject>(
  change: Change<T>,
  said: (object: Readonly<T>) => unknown,
): boolean {
  return change.type !== 'updated' || !sameJson(said(change.object), said(change.before))
}
