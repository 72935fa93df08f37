import type { AuditedRequest } from '@machinist/apiserver/http/audit'

/** A request as the authorizer saw it, and what came of it. */
export interface Recorded {
  readonly user: string
  readonly groups: readonly string[]
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/eviction`. */
  readonly resource: string
  readonly namespace: string
  /** Nothing for what is yet to be made: nobody is asked for a right to a name then. */
  readonly name: string
  readonly code: number
}

/** What the embedded server tells of a request; undefined where it was not about a resource. */
export function recordedHere({ user, verb, object, code }: AuditedRequest): Recorded | undefined {
  if (!object) return undefined
  const { username = '', groups = [] } = user ?? {}
  return recordedOf({ username, groups }, verb, object, code)
}

/** A line of kube-apiserver's audit log. */
export function recordedThere(line: string): Recorded | undefined {
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
): Recorded {
  const isNew = verb === 'create' && subresource === undefined
  return {
    user,
    groups,
    verb,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    // A Namespace is said to be in itself.
    namespace: resource === 'namespaces' ? '' : namespace,
    name: isNew ? '' : name,
    code,
  }
}

/** `patch machinist.dev nodetrusts/status worker-0`, `list configmaps kube-system/root-ca`. */
export function inWords({ verb, group, resource, namespace, name }: Recorded): string {
  const where = namespace === '' ? name : `${namespace}/${name}`
  return [verb, group, resource, where].filter((word) => word !== '').join(' ')
}
