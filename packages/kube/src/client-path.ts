import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/resource'

export type Subresource = 'status' | 'scale' | 'eviction' | 'token' | 'approval' | 'binding'

export interface Place {
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: Subresource
}

/** `/api/v1/namespaces/shop/pods/web-1/eviction`: the one place where paths are made. */
export function resourcePath(resource: Resource, place: Place = {}): string {
  const { namespace, name, subresource } = place
  const root = resource.group === '' ? '/api' : `/apis/${segment('group', resource.group)}`
  const parts = [root, segment('version', resource.version)]
  if (namespace !== undefined) {
    if (!resource.namespaced)
      throw misplaced(resource, `lives outside namespaces, not in ${namespace}`)
    parts.push('namespaces', segment('namespace', namespace))
  } else if (resource.namespaced && name !== undefined) {
    throw misplaced(resource, `${name} needs a namespace`)
  }
  parts.push(segment('resource', resource.plural))
  if (name !== undefined) parts.push(segment('name', name))
  if (subresource !== undefined) parts.push(subresource)
  return parts.join('/')
}

/** Escaped; `.` and `..` would climb out of the collection wherever a proxy tidies paths. */
function segment(what: string, text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new InvalidInput(`${JSON.stringify(text)} cannot be the ${what} of a Kubernetes object`)
  }
  return encodeURIComponent(text)
}

const misplaced = (resource: Resource, problem: string): InvalidInput =>
  new InvalidInput(`${resource.plural}: ${problem}`)
