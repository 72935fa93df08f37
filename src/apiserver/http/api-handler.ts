import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Credentials } from '../authentication/authenticator.ts'
import type { Attributes } from '../authorization/attributes.ts'
import { forbidden } from '../authorization/forbidden.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { Refusal } from '../refusal.ts'
import { newUid } from '../verbs/object-uid.ts'
import { truthOption } from '../verbs/request-options.ts'
import { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'
import { answerPath, notHere } from './path-routes.ts'
import type { RequestInfo, ResourceRequest } from './request-info.ts'
import { isResource, requestInfo } from './request-info.ts'
import { answerResource } from './resource-routes.ts'
import { statusBody } from './status-body.ts'

/** Answers every request, whatever happens: who is it, may they, do it. */
export class ApiHandler {
  readonly #parts: ApiParts
  readonly #stopping: AbortSignal

  constructor(parts: ApiParts, stopping: AbortSignal) {
    this.#parts = parts
    this.#stopping = stopping
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = addressOf(request.url ?? '/')
    const auditId = String(request.headers['audit-id'] ?? newUid(this.#parts.verbs.random))
    const answer = new Answer(request, response, query, auditId)
    try {
      if (path === undefined) answer.text(404, '404 page not found\n')
      else await this.#route(path, query, answer)
    } catch (error) {
      this.#refuse(answer, error)
    }
  }

  async #route(path: string, query: URLSearchParams, answer: Answer): Promise<void> {
    const parts = this.#parts
    const { request } = answer
    const user = parts.authenticator.authenticate(credentialsOf(request))
    if (user instanceof Refusal) throw user
    const info = requestInfo(request.method ?? 'GET', path, truthOption(query, 'watch'))
    const attributes = attributesOf(info)
    const { allowed, reason } = parts.authorizer.allowed(user, attributes)
    if (!allowed) throw forbidden(user, attributes, reason)
    if (!isResource(info)) {
      answerPath(parts, path, query, answer)
      return
    }
    const kind = this.#kindOf(info)
    if (!kind) {
      notHere(parts, path, answer)
      return
    }
    const stopping = this.#stopping
    await answerResource({ parts, info, kind, query, user, answer, stopping })
  }

  /** The kind that serves such a path. */
  #kindOf(info: ResourceRequest): ServedKind | undefined {
    const { group, version, resource, name, namespace, subresource } = info
    const kind = this.#parts.verbs.kinds.find(group, version, resource)
    if (!kind || info.tooDeep) return undefined
    if (!kind.namespaced && namespace !== undefined) return undefined
    if (kind.namespaced && name !== undefined && namespace === undefined) return undefined
    const served = kind.subresources.some((each) => each.name === subresource)
    return subresource === undefined || served ? kind : undefined
  }

  #refuse(answer: Answer, thrown: unknown): void {
    const { request, response } = answer
    if (!(thrown instanceof Refusal)) {
      this.#parts.log.error('request failed', thrown, { method: request.method, path: request.url })
    }
    if (response.headersSent) {
      response.destroy()
      return
    }
    const refusal = thrown instanceof Refusal ? thrown : internalError()
    if (refusal.details?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', refusal.details.retryAfterSeconds)
    }
    if (refusal.code === 413) response.setHeader('Connection', 'close')
    answer.encoding = 'application/json'
    answer.object(refusal.code, statusBody(refusal))
  }
}

const internalError = (): Refusal =>
  new Refusal(
    500,
    'InternalError',
    "Internal error occurred: the server's log says more about this request",
    {},
  )

function credentialsOf({ socket, headersDistinct: headers }: IncomingMessage): Credentials {
  const peerCertificate = (socket as Partial<TLSSocket>).getPeerX509Certificate?.()
  return peerCertificate ? { headers, peerCertificate } : { headers }
}

/** A namespace is in itself, so that its administrators may see it. */
function attributesOf(info: RequestInfo): Attributes {
  if (!isResource(info)) return info
  const { verb, group, resource, subresource, name } = info
  const inItself = group === '' && resource === 'namespaces' ? name : undefined
  const namespace = info.namespace ?? inItself
  return { verb, group, resource, subresource, name, namespace }
}

/** The path is absent where it cannot be decoded. */
function addressOf(url: string): { path: string | undefined; query: URLSearchParams } {
  const cut = url.indexOf('?')
  const query = new URLSearchParams(cut === -1 ? '' : url.slice(cut + 1))
  try {
    const path = decodeURIComponent(cut === -1 ? url : url.slice(0, cut))
    return { path: path.startsWith('/') && !path.startsWith('//') ? path : undefined, query }
  } catch {
    return { path: undefined, query }
  }
}
