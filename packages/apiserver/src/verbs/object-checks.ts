import type { ApiObject, WriteScene } from '../kinds/kind-rules.ts'
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
  { after, before, scene }: { after: ApiObject; before?: ApiObject; scene: WriteScene },
): void {
  const { kind } = target
  const causes = [
    ...metadataProblems(after.metadata, kind),
    ...(before ? metadataChangeProblems(before.metadata, after.metadata) : []),
    ...(kind.rules?.validate?.(after, before, scene) ?? []),
    ...(context.schemas.of(kind)?.validate(after, before, target.subresource) ?? []),
  ]
  if (causes.length > 0) throw invalid(refusedOf(target, after.metadata.name), causes)
}
