import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'

/** Whether a deleted object has no finalizers left. */
export function isGone(kind: ServedKind, { metadata, ...rest }: ApiObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  if ((metadata.finalizers ?? []).length > 0) return false
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false
  return kind.rules?.deletion?.held({ metadata, ...rest }) !== true
}
