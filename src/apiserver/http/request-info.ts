/** What a request is about, told by its method and path alone. */
export type RequestInfo = ResourceRequest | PathRequest

export interface ResourceRequest {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** Something after the subresource: nothing here is served that deep. */
  readonly tooDeep?: boolean
}

/** No resource: `/version`, `/apis/apps`. The path as it was sent. */
export interface PathRequest {
  readonly verb: string
  readonly path: string
}

export function isResource(info: RequestInfo): info is ResourceRequest {
  return 'resource' in info
}

/** `path` is the decoded path; `watch` tells whether the query asks for a watch. */
export function requestInfo(method: string, path: string, watch: boolean): RequestInfo {
  const plain = { verb: method.toLowerCase(), path }
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  if (parts.includes('') || parts.includes('..') || parts.includes('.')) return plain
  const api = apiOf(parts)
  if (!api || api.rest.length === 0) return plain
  const legacyWatch = api.rest[0] === 'watch'
  const place = placeOf(legacyWatch ? api.rest.slice(1) : api.rest)
  if (!place) return plain
  const { group, version } = api
  const verb = verbOf(method, place.name !== undefined, watch || legacyWatch)
  return { verb, group, version, ...place }
}

interface Api {
  readonly group: string
  readonly version: string
  readonly rest: readonly string[]
}

function apiOf([root, ...parts]: readonly string[]): Api | undefined {
  if (root === 'api' && parts.length > 1) {
    return { group: '', version: parts[0]!, rest: parts.slice(1) }
  }
  if (root === 'apis' && parts.length > 2) {
    return { group: parts[0]!, version: parts[1]!, rest: parts.slice(2) }
  }
  return undefined
}

type Place = Pick<ResourceRequest, 'resource' | 'subresource' | 'namespace' | 'name' | 'tooDeep'>

const namespaceParts = new Set(['status', 'finalize'])

/** `namespaces/x` is a namespace, `namespaces/x/status` a part of it, `namespaces/x/pods` what is in it. */
function placeOf(rest: readonly string[]): Place | undefined {
  const [first, second, third] = rest
  if (first === undefined) return undefined
  const inside =
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !namespaceParts.has(third)
  const [resource, name, subresource, ...deeper] = inside ? rest.slice(2) : rest
  if (resource === undefined) return undefined
  return {
    resource,
    ...(inside ? { namespace: second } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(deeper.length > 0 ? { tooDeep: true } : {}),
  }
}

function verbOf(method: string, named: boolean, watch: boolean): string {
  switch (method) {
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    case 'GET':
    case 'HEAD':
      if (watch) return 'watch'
      return named ? 'get' : 'list'
    default:
      return ''
  }
}
