import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { badRequest, notFound, Refusal } from '../refusal.ts'
import { nameProblems } from '../verbs/names.ts'
import type { ResourceRequest } from './request-info.ts'
import { methodNotAllowed } from './status-body.ts'

/** The kind that serves such a path. */
export function kindAt(
  kinds: KindRegistry,
  info: ResourceRequest,
  path: string,
): ServedKind | undefined {
  const { verb, group, version, resource, name, namespace } = info
  const kind = kinds.find(group, version, resource)
  if (!kind || verb === 'proxy') return undefined
  // Nothing but the core group is under /api, and that is nowhere else.
  if (path.startsWith('/api/') !== (group === '')) return undefined
  if (!kind.namespaced && namespace !== undefined) return undefined
  if (kind.namespaced && namespace === undefined) {
    const acrossAll = verb === 'list' || verb === 'watch' || kind.builtIn
    if (name !== undefined || !acrossAll) return undefined
  }
  return kind.builtIn && !hasPart(kind, info) ? undefined : kind
}

/** Throws where a served path is asked for something that it cannot be asked for, in the words of its kind. */
export function refuseNonsense(
  kind: ServedKind,
  info: ResourceRequest,
  method: string | undefined,
): void {
  if (kind.builtIn) refuseMethod(info, method)
  else refuseOfCustom(kind, info, method)
  const problems = info.name === undefined ? [] : nameProblems(info.name, 'path-segment')
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join(';')}`)
  }
}

function hasPart({ subresources }: ServedKind, { subresource, tooDeep }: ResourceRequest): boolean {
  if (subresource === undefined) return true
  return !tooDeep && subresources.some(({ name }) => name === subresource)
}

function refuseMethod({ verb }: ResourceRequest, method: string | undefined): void {
  if (reads(verb) && method !== 'GET') throw methodNotAllowed()
}

/** Custom resources have a server of their own in Kubernetes, which sees some things differently. */
function refuseOfCustom(kind: ServedKind, info: ResourceRequest, method: string | undefined): void {
  const { group, plural: resource } = kind
  const { verb, name = '' } = info
  if (!hasPart(kind, info)) throw notFound({ group, resource, kind: kind.kind, name })
  if (verb === '') {
    const why = `${verb} is not supported on resources of kind "${resource}.${group}"`
    throw new Refusal(405, 'MethodNotAllowed', why, { group, kind: resource })
  }
  if (verb === 'watch' && method !== 'GET') throw methodNotAllowed()
  if ((verb === 'update' || verb === 'patch') && name === '') {
    throw badRequest('name must be provided')
  }
}

const reads = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch'
