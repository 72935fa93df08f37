import { parseFieldSelector } from '@machinist/core/objects/field-selectors'
import type { FieldSelector } from '@machinist/core/objects/field-selectors'
import { withoutLeading, withoutTrailing } from '@machinist/core/trimmed'
import { StatusError } from '../../status/status-error.ts'
import { nameProblems } from '../../objects/names.ts'
import { truthOption } from '../../verbs/request-options.ts'

/** Target and verb of a request, derived from its method and URL. */
export type RequestInfo = ResourceRequest | PathRequest

export interface ResourceRequest {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** The name that the field selector of a list or watch requires: permission for that name is sufficient. */
  readonly selectedName?: string
  /** More path segments than any served path has. */
  readonly tooDeep?: boolean
}

/** A non-resource request: `/version`, `/apis/apps`. The path as sent. */
export interface PathRequest {
  readonly verb: string
  readonly path: string
}

export function isResource(info: RequestInfo): info is ResourceRequest {
  return 'resource' in info
}

const noQuery = new URLSearchParams()

/** `path` is decoded. Leading and trailing slashes are ignored; others separate segments, including empty ones. */
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

/** The longest served path has ten segments; an eleventh marks it as too deep. */
const maxSegments = 11

/** Runs before authentication: one pass over the path regardless of its content. */
function segmentsOf(path: string): readonly string[] {
  return withoutLeading(withoutTrailing(path, '/'), '/').split('/', maxSegments)
}

/** Deprecated path prefixes. `proxy` is not served, but authorization comes first, as elsewhere. */
const pathVerbs = new Set(['watch', 'proxy'])

/** `/api/v1/watch` without a resource. Reported before authentication. */
export class PathWithoutKind extends StatusError {
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

/** `namespaces/x` is a Namespace, `namespaces/x/status` its subresource, `namespaces/x/pods` a resource in it. */
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

/** Only collections can be watched: a named object is a get, regardless of the query. */
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

/** An invalid selector selects no name; the handler rejects it later. */
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
