import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'

/** A request as the authorizer sees it, and its status code. */
export interface RecordedRequest {
  readonly user: string
  readonly groups: readonly string[]
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/eviction`. */
  readonly resource: string
  readonly namespace: string
  /** Empty for create: RBAC does not check the name then. */
  readonly name: string
  readonly code: number
}

/** From the embedded server's audit callback; undefined for non-resource requests. */
export function fromEmbeddedServer({
  user,
  verb,
  object,
  code,
}: AuditedRequest): RecordedRequest | undefined {
  if (!object) return undefined
  const { username = '', groups = [] } = user ?? {}
  return recordedOf({ username, groups }, verb, object, code)
}

/** A line of kube-apiserver's audit log. */
export function fromAuditLog(line: string): RecordedRequest | undefined {
  const { user, verb, objectRef, responseStatus } = JSON.parse(line) as AuditEvent
  if (!objectRef) return undefined
  const object = { ...objectRef, group: objectRef.apiGroup ?? '' }
  return recordedOf(user, verb, object, responseStatus?.code ?? 0)
}

interface AuditEvent {
  readonly user: { readonly username: string; readonly groups?: readonly string[] }
  readonly verb: string
  readonly objectRef?: Place & { readonly apiGroup?: string }
  readonly responseStatus?: { readonly code?: number }
}

interface Place {
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

function recordedOf(
  { username: user, groups = [] }: AuditEvent['user'],
  verb: string,
  { group, resource, subresource, namespace = '', name = '' }: Place & { readonly group: string },
  code: number,
): RecordedRequest {
  const isNew = verb === 'create' && subresource === undefined
  return {
    user,
    groups,
    verb,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    // The audit log sets the namespace of a Namespace to its own name.
    namespace: resource === 'namespaces' ? '' : namespace,
    name: isNew ? '' : name,
    code,
  }
}

/** `patch machinist.dev nodetrusts/status worker-0`, `list configmaps kube-system/root-ca`. */
export function formatRequest({ verb, group, resource, namespace, name }: RecordedRequest): string {
  const where = namespace === '' ? name : `${namespace}/${name}`
  return [verb, group, resource, where].filter((word) => word !== '').join(' ')
}
