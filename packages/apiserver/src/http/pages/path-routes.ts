import { coreVersions } from '../../discovery/legacy.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { ApiParts } from '../messages/api-parts.ts'
import { negotiate } from '../messages/media-types.ts'
import { methodNotAllowed, noSuchResource } from '../messages/status-body.ts'
import { answerHealth } from './health.ts'
import { answerRoot } from './root-paths.ts'

type Document = Record<string, unknown>

/** Answers non-resource requests. */
export function answerPath(
  parts: ApiParts,
  path: string,
  query: URLSearchParams,
  answer: ApiResponse,
): void {
  if (path === '/' || path === '/index.html') {
    answerRoot(parts, answer)
    return
  }
  const steps = path.replace(/\/$/, '').split('/').slice(1)
  if (steps.length === 1 && (steps[0] === 'api' || steps[0] === 'apis')) {
    requireGet(answer)
    answerGroups(parts, steps[0], answer)
    return
  }
  const document = documentAt(parts, steps)
  if (document) {
    requireGet(answer)
    answer.encoding = negotiate(answer.request.headers.accept, () => false).encoding
    answer.object(200, document)
    return
  }
  if (parts.pages?.some((page) => page.answer(path, query, answer))) return
  if (!answerHealth(parts, path, query, answer)) answerNotFound(parts, path, answer)
}

/** Paths of built-in groups get a Status; others get plain text. */
export function answerNotFound(parts: ApiParts, path: string, answer: ApiResponse): void {
  const [root, group = ''] = path.split('/').slice(1)
  const builtIn = parts.verbs.kinds.all.some((kind) => kind.builtIn && kind.group === group)
  if (root === 'api' || (root === 'apis' && group !== '' && builtIn)) throw noSuchResource()
  answer.text(404, '404 page not found\n')
}

function requireGet({ request }: ApiResponse): void {
  if (request.method !== 'GET') throw methodNotAllowed()
}

function documentAt(parts: ApiParts, steps: readonly string[]): Document | undefined {
  const [root, group = '', version, ...rest] = steps
  if (rest.length > 0) return undefined
  if (root === 'version' && steps.length === 1) return versionDocument(parts)
  if (root === 'api' && version === undefined) return parts.discovery.resources('', group)
  if (root !== 'apis') return undefined
  return version === undefined
    ? parts.discovery.group(group)
    : parts.discovery.resources(group, version)
}

const aggregatedVersions = new Set(['v2', 'v2beta1'])

function answerGroups({ discovery }: ApiParts, root: 'api' | 'apis', answer: ApiResponse): void {
  const { request, response } = answer
  const { as, encoding } = negotiate(
    request.headers.accept,
    ({ kind, group, version }) =>
      kind === 'APIGroupDiscoveryList' &&
      group === 'apidiscovery.k8s.io' &&
      aggregatedVersions.has(version),
  )
  answer.encoding = encoding
  if (!as) {
    const { localAddress, localPort } = request.socket
    const legacy =
      root === 'api' ? coreVersions(`${localAddress}:${localPort}`) : discovery.groups()
    answer.object(200, legacy)
    return
  }
  const { body, etag } = discovery.aggregated(root, as.version)
  response.setHeader('Cache-Control', 'public')
  response.setHeader('ETag', etag)
  response.setHeader('Vary', 'Accept')
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  const { kind, group, version } = as
  answer.object(200, body, `${encoding};g=${group};v=${version};as=${kind}`)
}

function versionDocument({ version }: ApiParts): Document {
  return {
    ...version,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'linux/amd64',
  }
}
