import { parseFieldSelector } from '@machinist/core/field-selectors'
import type { FieldSelector } from '@machinist/core/field-selectors'
import { withoutLeading, withoutTrailing } from '@machinist/core/trimmed'
import { Refusal } from '../refusal.ts'
import { nameProblems } from '../verbs/names.ts'
import { truthOption } from '../verbs/request-options.ts'

/** What a request is about, told by its method and address alone. */
export type RequestInfo = ResourceRequest | PathRequest

export interface ResourceRequest {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** The one name that the field selector of a list or a watch lets through: rights for that name are enough. */
  readonly selectedName?: string
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

const noQuery = new URLSearchParams()

/** `path` is the decoded path. Slashes around it do not count; inside they part names, even empty ones. */
export function requestInfo(method: string, path: string, query = noQuery): RequestInfo {
  const api = apiOf(segmentsOf(path))
  if (!api) return { verb: method.toLowerCase(), path }
  const { group, version, rest } = api
  const verbInPath = pathVerbs.has(rest[0]!) ? rest[0]! : undefined
  if (verbInPath !== undefined && rest.length < 2) throw new PathWithoutKind(path)
  const place = placeOf(verbInPath === undefined ? rest : rest.slice(1))
  const verb = verbInPath ?? verbOf(method, place.name !== undefined && place.name !== '', query)
  const looksThrough = verbInPath === undefined && (verb === 'list' || verb === 'watch')
  const selectedName = looksThrough ? nameSelectedBy(query) : undefined
  return { verb, group, version, ...place, ...(selectedName === undefined ? {} : { selectedName }) }
}

/** The longest path that is served has ten; one more is enough to know that a path is too deep. */
const mostSegments = 11

/** This runs before authentication: one pass over the path, whatever it holds. */
function segmentsOf(path: string): readonly string[] {
  return withoutLeading(withoutTrailing(path, '/'), '/').split('/', mostSegments)
}

/** From before there was `?watch=true`. Nothing is proxied here, but who may is asked first, as elsewhere. */
const pathVerbs = new Set(['watch', 'proxy'])

/** `/api/v1/watch` does not say what to watch. Nobody is asked who they are before this is said. */
export class PathWithoutKind extends Refusal {
  constructor(path: string) {
    super(
      500,
      'InternalError',
      `Internal Server Error: ${JSON.stringify(path)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`,
    )
  }
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
function placeOf(rest: readonly string[]): Place {
  const [first, second, third] = rest
  const inside =
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !namespaceParts.has(third)
  const [resource = '', name, subresource, ...deeper] = inside ? rest.slice(2) : rest
  return {
    resource,
    ...(inside ? { namespace: second } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(deeper.length > 0 ? { tooDeep: true } : {}),
  }
}

/** Only what has no name can be watched: whoever asks for one object gets that, whatever else they say. */
function verbOf(method: string, named: boolean, query: URLSearchParams): string {
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
      if (named) return 'get'
      return truthOption(query, 'watch') ? 'watch' : 'list'
    default:
      return ''
  }
}

/** A selector that cannot be read selects no name; it is refused later, by whoever reads it for its sake. */
function nameSelectedBy(query: URLSearchParams): string | undefined {
  const name = readable(query.get('fieldSelector') ?? '').find(
    ({ path, equal }) => path === 'metadata.name' && equal,
  )?.value
  return name && nameProblems(name, 'path-segment').length === 0 ? name : undefined
}

function readable(selector: string): FieldSelector {
  try {
    return parseFieldSelector(selector)
  } catch {
    return []
  }
}
