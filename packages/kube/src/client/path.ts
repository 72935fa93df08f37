import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/objects/resource'

export type Subresource = 'status' | 'scale' | 'eviction' | 'token' | 'approval' | 'binding'

export interface ResourcePathOptions {
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: Subresource
}

/** The API path of an object or a collection: `/api/v1/namespaces/shop/pods/web-1/eviction`. */
export function resourcePath(resource: Resource, options: ResourcePathOptions = {}): string {
  const { namespace, name, subresource } = options
  const root = resource.group === '' ? '/api' : `/apis/${encodeSegment('group', resource.group)}`
  const parts = [root, encodeSegment('version', resource.version)]
  if (namespace !== undefined) {
    if (!resource.namespaced)
      throw invalidScope(resource, `is cluster-scoped, so it has no namespace ${namespace}`)
    parts.push('namespaces', encodeSegment('namespace', namespace))
  } else if (resource.namespaced && name !== undefined) {
    throw invalidScope(resource, `${name} requires a namespace`)
  }
  parts.push(encodeSegment('resource', resource.plural))
  if (name !== undefined) parts.push(encodeSegment('name', name))
  if (subresource !== undefined) parts.push(subresource)
  return parts.join('/')
}

/** Escapes a path segment. `.` and `..` would leave the collection where a proxy normalizes paths. */
function encodeSegment(part: string, text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new InvalidInput(`${JSON.stringify(text)} is not a valid ${part} of a Kubernetes object`)
  }
  return encodeURIComponent(text)
}

const invalidScope = (resource: Resource, problem: string): InvalidInput =>
  new InvalidInput(`${resource.plural}: ${problem}`)
