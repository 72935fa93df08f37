import type { ApiRequest } from '@machinist/kube/transport/transport'

/** The resource, namespace and name of a request. */
export interface Place {
  /** `machineconfiguration.openshift.io/machineconfigs`; the core group has no name: `/nodes`. */
  readonly resource: string
  readonly group: string
  readonly apiVersion: string
  readonly plural: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

const known = new Map<string, Place | undefined>()

/** Parses `/api/v1/namespaces/default/pods/web-1/eviction`. */
export function placeOf({ path }: Pick<ApiRequest, 'path'>): Place | undefined {
  if (!known.has(path)) known.set(path, parsed(path))
  return known.get(path)
}

function parsed(path: string): Place | undefined {
  const parts = path.slice(1).split('/').map(decodeURIComponent)
  const isCore = parts[0] === 'api'
  const group = isCore ? '' : (parts[1] ?? '')
  const version = isCore ? parts[1] : parts[2]
  const rest = parts.slice(isCore ? 2 : 3)
  const isInside = rest[0] === 'namespaces' && rest.length > 2
  const namespace = isInside ? rest[1] : undefined
  const [plural, name, subresource] = isInside ? rest.slice(2) : rest
  if (plural === undefined || version === undefined) return undefined
  return {
    resource: `${group}/${plural}`,
    group,
    apiVersion: isCore ? version : `${group}/${version}`,
    plural,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  }
}
