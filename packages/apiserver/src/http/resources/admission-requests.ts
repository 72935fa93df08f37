import type { AdmissionRequest } from '../../admission/admission-request.ts'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import type { DeleteOptions } from '../../verbs/delete.ts'
import type { ResourceCall } from './resource-routes.ts'

/** The admission request of a client write: without an old object it is a creation, without a new one a deletion. */
export function admissionRequest(
  call: ResourceCall,
  object: ApiObject | undefined,
  before: ApiObject | undefined,
  deletion?: DeleteOptions,
): AdmissionRequest {
  const { info, kind, user, answer, query } = call
  const { subresource } = info
  const operation = operationOf(object, before)
  const name = info.name ?? object?.metadata.name ?? ''
  const served = kind.subresources.find((each) => each.name === subresource)
  const dryRun = deletion?.dryRun ?? query.getAll('dryRun').includes('All')
  return {
    user,
    operation,
    kind,
    subresource,
    objectKind: served?.responseKind ?? kind,
    name,
    namespace: isNamespace(kind) ? name : (info.namespace ?? ''),
    dryRun,
    options: {
      kind: `${operation[0]}${operation.slice(1).toLowerCase()}Options`,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun && { dryRun: ['All'] }),
      ...(deletion ? deletionFields(deletion) : writeFields(query)),
    },
    object,
    before,
    warn: (text) => answer.warn(text),
  }
}

/** A Namespace is in the namespace of its own name. */
const isNamespace = ({ group, plural }: ServedKind): boolean =>
  group === '' && plural === 'namespaces'

function operationOf(
  object: ApiObject | undefined,
  before: ApiObject | undefined,
): AdmissionRequest['operation'] {
  if (before === undefined) return 'CREATE'
  return object === undefined ? 'DELETE' : 'UPDATE'
}

function writeFields(query: URLSearchParams): Record<string, unknown> {
  const fieldManager = query.get('fieldManager')
  const fieldValidation = query.get('fieldValidation')
  return { ...(fieldManager && { fieldManager }), ...(fieldValidation && { fieldValidation }) }
}

function deletionFields(deletion: DeleteOptions): Record<string, unknown> {
  const { graceSeconds, propagation, uid, resourceVersion } = deletion
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  return {
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(propagation && { propagationPolicy: propagation }),
  }
}
