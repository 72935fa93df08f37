import { everything, matchesLabels, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { objectKey, prefixOf } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import type { GroupVersionKind } from './admission-request.ts'
import type { ParamKind, ParamRef } from './policies/policy-objects.ts'

/** A policy or binding that cannot be evaluated as written. */
export class MisconfiguredPolicy extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Misconfigured'
  }
}

export function paramGroupKind({ apiVersion, kind }: ParamKind): GroupVersionKind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  return { group: group!, version: version!, kind }
}

/** The parameter objects of a policy; a single null for a policy without paramKind. */
export function paramsOf(
  context: Pick<VerbContext, 'store'>,
  kind: ServedKind,
  ref: ParamRef | undefined,
  requestNamespace: string,
): (ApiObject | null)[] {
  if (!ref) return [null]
  const namespace = namespaceOf(kind, ref, requestNamespace)
  const found = ref.name
    ? byName(context, kind, namespace, ref.name)
    : bySelector(context, kind, namespace, ref)
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new MisconfiguredPolicy(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  }
  return found
}

function namespaceOf(
  kind: ServedKind,
  ref: ParamRef,
  requestNamespace: string,
): string | undefined {
  if (!kind.namespaced) {
    if (!ref.namespace) return undefined
    throw new MisconfiguredPolicy(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    )
  }
  const namespace = ref.namespace || requestNamespace
  if (namespace !== '') return namespace
  throw new MisconfiguredPolicy(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  )
}

function byName(
  { store }: Pick<VerbContext, 'store'>,
  kind: ServedKind,
  namespace: string | undefined,
  name: string,
): ApiObject[] {
  const stored = store.get(objectKey(kind, namespace, name))
  return stored ? [toServedObject(kind, stored)] : []
}

function bySelector(
  { store }: Pick<VerbContext, 'store'>,
  kind: ServedKind,
  namespace: string | undefined,
  ref: ParamRef,
): ApiObject[] {
  const selector = selectorFromSpec(ref.selector, everything)
  return store
    .range({ prefix: prefixOf(kind, namespace) })
    .map((stored) => toServedObject(kind, stored))
    .filter(({ metadata }) => matchesLabels(selector, metadata.labels))
}
