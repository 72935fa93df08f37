import type { ApiObject, WriteContext } from '../kinds/kind-rules.ts'
import type { ErrorObject } from '../status/status-error.ts'
import { invalid } from '../status/status-error.ts'
import { metadataChangeProblems, metadataProblems } from '../objects/metadata-check.ts'
import type { Target, VerbContext } from './verb-context.ts'

/** The object reference of an error. */
export function errorObjectOf({ kind }: Pick<Target, 'kind'>, name: string): ErrorObject {
  return { group: kind.group, resource: kind.plural, kind: kind.kind, name }
}

/** Reports all validation errors, not only the first. */
export function checkObject(
  context: Pick<VerbContext, 'schemas'>,
  target: Target,
  {
    after,
    before,
    writeContext,
  }: { after: ApiObject; before?: ApiObject; writeContext: WriteContext },
): void {
  const { kind } = target
  const causes = [
    ...metadataProblems(after.metadata, kind),
    ...(before ? metadataChangeProblems(before.metadata, after.metadata) : []),
    ...(kind.rules?.validate?.(after, before, writeContext) ?? []),
    ...(context.schemas.of(kind)?.validate(after, before, target.subresource) ?? []),
  ]
  if (causes.length > 0) throw invalid(errorObjectOf(target, after.metadata.name), causes)
}
