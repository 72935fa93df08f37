import type { KindRegistry } from '../../kinds/kind-registry.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { badRequest, notFound, StatusError } from '../../status/status-error.ts'
import { nameProblems } from '../../objects/names.ts'
import type { ResourceRequest } from '../messages/request-info.ts'
import { methodNotAllowed } from '../messages/status-body.ts'

/** The kind that serves a path. */
export function kindAt(
  kinds: KindRegistry,
  info: ResourceRequest,
  path: string,
): ServedKind | undefined {
  const { verb, group, version, resource, name, namespace } = info
  const kind = kinds.find(group, version, resource)
  if (!kind || verb === 'proxy') return undefined
  // The core group is served only under /api, and other groups only under /apis.
  if (path.startsWith('/api/') !== (group === '')) return undefined
  if (!kind.namespaced && namespace !== undefined) return undefined
  if (kind.namespaced && namespace === undefined) {
    const acrossAll = verb === 'list' || verb === 'watch' || kind.builtIn
    if (name !== undefined || !acrossAll) return undefined
  }
  return kind.builtIn && !hasPart(kind, info) ? undefined : kind
}

/** Throws a StatusError for a method or subresource that the kind does not support. */
export function rejectUnsupported(
  kind: ServedKind,
  info: ResourceRequest,
  method: string | undefined,
): void {
  if (kind.builtIn) rejectMethod(info, method)
  else rejectUnsupportedCustom(kind, info, method)
  const problems = info.name === undefined ? [] : nameProblems(info.name, 'path-segment')
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join(';')}`)
  }
}

function hasPart({ subresources }: ServedKind, { subresource, tooDeep }: ResourceRequest): boolean {
  if (subresource === undefined) return true
  return !tooDeep && subresources.some(({ name }) => name === subresource)
}

function rejectMethod({ verb }: ResourceRequest, method: string | undefined): void {
  if (reads(verb) && method !== 'GET') throw methodNotAllowed()
}

/** kube-apiserver serves custom resources with another handler, which has its own errors. */
function rejectUnsupportedCustom(
  kind: ServedKind,
  info: ResourceRequest,
  method: string | undefined,
): void {
  const { group, plural: resource } = kind
  const { verb, name = '' } = info
  if (!hasPart(kind, info)) throw notFound({ group, resource, kind: kind.kind, name })
  if (verb === '') {
    const why = `${verb} is not supported on resources of kind "${resource}.${group}"`
    throw new StatusError(405, 'MethodNotAllowed', why, { group, kind: resource })
  }
  if (verb === 'watch' && method !== 'GET') throw methodNotAllowed()
  if ((verb === 'update' || verb === 'patch') && name === '') {
    throw badRequest('name must be provided')
  }
}

const reads = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch'
