import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'

/** Deleted, and nothing and nobody holds it any longer. */
export function isGone(kind: ServedKind, { metadata, ...rest }: ApiObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  if ((metadata.finalizers ?? []).length > 0) return false
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false
  return kind.rules?.ending?.held({ metadata, ...rest }) !== true
}
