import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import { decodeProtobuf } from '../../src/protobuf/decode-protobuf.ts'
import type { ServedKind } from '../../src/kinds/served-kind.ts'
import { openApiDocument, openApiIndex, openApiPath } from '../../src/openapi/document.ts'
import { tableOf } from '../../src/table/table.ts'
import type { Answered, Asked, ForwardingServer } from './forward.ts'
import { forward, serveForwarding } from './forward.ts'

export interface TranslatingProxy extends ForwardingServer {
  /** Requests, e.g. `PATCH application/merge-patch+json /api/v1/nodes/n`. */
  readonly seen: string[]
}

/**
 * A real kube-apiserver behind a proxy that translates protobuf bodies, tables and OpenAPI documents with this
 * package, to test them with a real kubectl.
 */
export async function startTranslatingProxy(
  cluster: ClusterAddress,
  kinds: readonly ServedKind[],
): Promise<TranslatingProxy> {
  const seen: string[] = []
  const server = await serveForwarding(async (requested) => {
    seen.push(`${requested.method} ${requested.headers['content-type'] ?? '-'} ${requested.path}`)
    if (requested.path.startsWith('/openapi/')) return openApi(requested.path, kinds)
    return asTable(requested, kinds, await forward(cluster, inJson(requested)))
  })
  return { ...server, seen }
}

function openApi(path: string, kinds: readonly ServedKind[]): Answered {
  const name = path.split('?')[0]!.slice('/openapi/v3/'.length)
  if (path === '/openapi/v3' || path === '/openapi/v3?timeout=32s') {
    return json(200, openApiIndex(kinds))
  }
  const members = kinds.filter((kind) => openApiPath(kind) === name)
  return members.length === 0 ? json(404, {}) : json(200, openApiDocument(members))
}

function inJson(requested: Asked): Asked {
  const { accept = '', 'content-type': type, ...rest } = requested.headers
  const discovery = accept.includes('apidiscovery')
  const headers = { ...rest, accept: discovery ? accept : 'application/json' }
  if (type === undefined) return { ...requested, headers }
  if (type !== 'application/vnd.kubernetes.protobuf') {
    return { ...requested, headers: { ...headers, 'content-type': type } }
  }
  const body = Buffer.from(JSON.stringify(decodeProtobuf(requested.body).object))
  return { ...requested, body, headers: { ...headers, 'content-type': 'application/json' } }
}

function asTable(requested: Asked, kinds: readonly ServedKind[], answered: Answered): Answered {
  if (!requested.headers.accept?.includes('as=Table') || answered.status !== 200) return answered
  const whole = JSON.parse(answered.body.toString()) as Listed
  const name = whole.kind.replace(/List$/, '')
  const [version, group = ''] = whole.apiVersion.split('/').toReversed()
  const kind = kinds.find(
    (one) => one.kind === name && one.group === group && one.version === version,
  )
  if (!kind) return answered
  const { resourceVersion } = whole.metadata
  const objects = (whole.items ?? [whole]).map((item) =>
    Object.assign({ apiVersion: whole.apiVersion, kind: name }, item),
  )
  return json(200, tableOf(kind, objects, { now: Date.now(), metadata: { resourceVersion } }))
}

interface Listed extends Record<string, unknown> {
  apiVersion: string
  kind: string
  metadata: { resourceVersion?: string }
  items?: Record<string, unknown>[]
}

function json(status: number, value: unknown): Answered {
  const headers = { 'content-type': 'application/json' }
  return { status, headers, body: Buffer.from(JSON.stringify(value)) }
}
