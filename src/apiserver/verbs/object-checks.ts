import type { ApiObject } from '../kinds/kind-rules.ts'
import type { Refused } from '../refusal.ts'
import { invalid } from '../refusal.ts'
import { metadataChangeProblems, metadataProblems } from './metadata-check.ts'
import type { Target, VerbContext } from './verb-context.ts'

/** The object as a refusal names it. */
export function refusedOf({ kind }: Pick<Target, 'kind'>, name: string): Refused {
  return { group: kind.group, resource: kind.plural, kind: kind.kind, name }
}

/** Refuses with everything that is wrong, not only with the first thing. */
export function checkObject(
  context: Pick<VerbContext, 'schemas'>,
  target: Target,
  after: ApiObject,
  before?: ApiObject,
): void {
  const { kind } = target
  const causes = [
    ...metadataProblems(after.metadata, kind.rules?.nameRule),
    ...(before ? metadataChangeProblems(before.metadata, after.metadata) : []),
    ...(kind.rules?.validate?.(after, before) ?? []),
    ...(context.schemas.of(kind)?.validate(after, before, target.subresource) ?? []),
  ]
  if (causes.length > 0) throw invalid(refusedOf(target, after.metadata.name), causes)
}
