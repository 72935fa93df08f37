import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Credentials } from '../authentication/authenticator.ts'
import type { Attributes } from '../authorization/attributes.ts'
import { forbidden } from '../authorization/forbidden.ts'
import { StatusError } from '../status/status-error.ts'
import { statusBody } from '../status/status-body.ts'
import { NotWritten } from '../store/not-written.ts'
import { newUid } from '../objects/object-uid.ts'
import { ApiResponse } from './messages/response.ts'
import type { ApiParts } from './messages/api-parts.ts'
import type { RequestAudit } from './messages/audit.ts'
import { startAudit } from './messages/audit.ts'
import { answerPath, answerNotFound } from './pages/path-routes.ts'
import type { RequestInfo } from './messages/request-info.ts'
import { isResource, PathWithoutKind, requestInfo } from './messages/request-info.ts'
import type { RequestMeasurement } from './messages/request-metrics.ts'
import { kindAt, rejectUnsupported } from './resources/resource-place.ts'
import { answerResource } from './resources/resource-routes.ts'

/** Handles every request: authenticates, authorizes, routes, and reports errors. */
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
    const answer = new ApiResponse(request, response, query, auditId)
    const { audit, metrics, verbs } = this.#parts
    const measure = metrics.begin()
    const audited = audit && startAudit(audit, verbs.clock, request, auditId)
    response.once('close', () => {
      measure.answered(response.statusCode)
      audited?.ended(response.statusCode)
    })
    try {
      if (path === undefined) answerInvalidUrl(answer)
      else await this.#route(path, query, answer, { measure, audited })
    } catch (error) {
      this.#answerError(answer, error)
    }
  }

  async #route(
    path: string,
    query: URLSearchParams,
    answer: ApiResponse,
    { measure, audited }: ObservedRequest,
  ): Promise<void> {
    const parts = this.#parts
    const { request } = answer
    const info = requestInfo(request.method ?? 'GET', path, query)
    audited?.isAbout(info)
    const kind = isResource(info) ? kindAt(parts.verbs.kinds, info, path) : undefined
    measure.isAbout({
      verb: info.verb,
      ...(kind && isResource(info) ? { kind, subresource: info.subresource } : {}),
    })
    const user = parts.authenticator.authenticate(credentialsOf(request))
    if (user instanceof StatusError) throw user
    audited?.isBy(user)
    const attributes = attributesOf(info)
    const { allowed, reason } = parts.authorizer.allowed(user, attributes)
    if (!allowed) throw forbidden(user, attributes, reason)
    if (!isResource(info)) {
      answerPath(parts, path, query, answer)
      return
    }
    if (!kind) {
      answerNotFound(parts, path, answer)
      return
    }
    rejectUnsupported(kind, info, request.method)
    const stopping = this.#stopping
    await answerResource({ parts, info, kind, query, user, answer, stopping })
  }

  #answerError(answer: ApiResponse, error: unknown): void {
    const { request, response } = answer
    const thrown = error instanceof NotWritten ? unavailable(error) : error
    if (thrown instanceof PathWithoutKind) {
      answer.text(thrown.code, `${thrown.message}\n`)
      return
    }
    // The client closed the connection while sending its body.
    if (request.destroyed && !request.complete) return
    if (!(thrown instanceof StatusError)) {
      this.#parts.log.error('request failed', thrown, { method: request.method, path: request.url })
    }
    if (response.headersSent) {
      response.destroy()
      return
    }
    const status = thrown instanceof StatusError ? thrown : internalError()
    if (status.details?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', status.details.retryAfterSeconds)
    }
    if (status.code === 413) response.setHeader('Connection', 'close')
    answer.encoding = 'application/json'
    answer.object(status.code, statusBody(status))
  }
}

/** Observers of a request. */
interface ObservedRequest {
  readonly measure: RequestMeasurement
  readonly audited: RequestAudit | undefined
}

/** The path is not decodable, or there are too many parameters. */
function answerInvalidUrl(answer: ApiResponse): void {
  answer.response.setHeader('Connection', 'close')
  answer.bytes(400, 'text/plain; charset=utf-8', '400 Bad Request')
}

const unavailable = ({ message }: NotWritten): StatusError =>
  new StatusError(503, 'ServiceUnavailable', message)

const internalError = (): StatusError =>
  new StatusError(500, 'InternalError', "Internal error occurred: see the server's log", {})

function credentialsOf({ socket, headersDistinct: headers }: IncomingMessage): Credentials {
  const peerCertificate = (socket as Partial<TLSSocket>).getPeerX509Certificate?.()
  if (!peerCertificate) return { headers }
  return { headers, peerCertificate, intermediates: issuersOf(peerCertificate) }
}

const maxIssuers = 8

/** The certificates of the client's chain, in order. */
function issuersOf(certificate: X509Certificate): X509Certificate[] {
  const issuers: X509Certificate[] = []
  let issuer = certificate.issuerCertificate
  while (issuer && issuers.length < maxIssuers) {
    issuers.push(issuer)
    issuer = issuer.issuerCertificate
  }
  return issuers
}

/** A Namespace is in the namespace of its own name, so that its administrators can read it. */
function attributesOf(info: RequestInfo): Attributes {
  if (!isResource(info)) return info
  const { verb, group, resource, subresource, name = info.selectedName } = info
  const inItself = group === '' && resource === 'namespaces' ? info.name : undefined
  const namespace = info.namespace ?? inItself
  return { verb, group, resource, subresource, name, namespace }
}

/** Node takes quadratic time to parse many parameters, before authentication. Real clients send far fewer. */
const maxParameters = 1000

/** `path` is undefined if it cannot be decoded. */
function addressOf(url: string): { path: string | undefined; query: URLSearchParams } {
  const cut = url.indexOf('?')
  const search = cut === -1 ? '' : url.slice(cut + 1)
  if (search.split('&', maxParameters + 1).length > maxParameters) {
    return { path: undefined, query: new URLSearchParams() }
  }
  const query = new URLSearchParams(search)
  try {
    const path = decodeURIComponent(cut === -1 ? url : url.slice(0, cut))
    return { path: path.startsWith('/') ? path : undefined, query }
  } catch {
    return { path: undefined, query }
  }
}
