import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Credentials } from '../authentication/authenticator.ts'
import type { Attributes } from '../authorization/attributes.ts'
import { forbidden } from '../authorization/forbidden.ts'
import { Refusal } from '../refusal.ts'
import { statusBody } from '../status.ts'
import { NotWritten } from '../store/not-written.ts'
import { newUid } from '../verbs/object-uid.ts'
import { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'
import type { AuditedWay } from './audit.ts'
import { beginAudit } from './audit.ts'
import { answerPath, notHere } from './path-routes.ts'
import type { RequestInfo } from './request-info.ts'
import { isResource, PathWithoutKind, requestInfo } from './request-info.ts'
import type { RequestMeasure } from './request-metrics.ts'
import { kindAt, refuseNonsense } from './resource-place.ts'
import { answerResource } from './resource-routes.ts'

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
    const { audit, metrics, verbs } = this.#parts
    const measure = metrics.begin()
    const audited = audit && beginAudit(audit, verbs.clock, request, auditId)
    response.once('close', () => {
      measure.answered(response.statusCode)
      audited?.ended(response.statusCode)
    })
    try {
      if (path === undefined) refuseAddress(answer)
      else await this.#route(path, query, answer, { measure, audited })
    } catch (error) {
      this.#refuse(answer, error)
    }
  }

  async #route(
    path: string,
    query: URLSearchParams,
    answer: Answer,
    { measure, audited }: Followed,
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
    if (user instanceof Refusal) throw user
    audited?.isBy(user)
    const attributes = attributesOf(info)
    const { allowed, reason } = parts.authorizer.allowed(user, attributes)
    if (!allowed) throw forbidden(user, attributes, reason)
    if (!isResource(info)) {
      answerPath(parts, path, query, answer)
      return
    }
    if (!kind) {
      notHere(parts, path, answer)
      return
    }
    refuseNonsense(kind, info, request.method)
    const stopping = this.#stopping
    await answerResource({ parts, info, kind, query, user, answer, stopping })
  }

  #refuse(answer: Answer, error: unknown): void {
    const { request, response } = answer
    const thrown = error instanceof NotWritten ? unavailable(error) : error
    if (thrown instanceof PathWithoutKind) {
      answer.text(thrown.code, `${thrown.message}\n`)
      return
    }
    // A client that went away in the middle of its body hears no answer.
    if (request.destroyed && !request.complete) return
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

/** Who hears what is learnt of a request. */
interface Followed {
  readonly measure: RequestMeasure
  readonly audited: AuditedWay | undefined
}

/** The percent signs make no sense, or there are too many parameters. */
function refuseAddress(answer: Answer): void {
  answer.response.setHeader('Connection', 'close')
  answer.bytes(400, 'text/plain; charset=utf-8', '400 Bad Request')
}

const unavailable = ({ message }: NotWritten): Refusal =>
  new Refusal(503, 'ServiceUnavailable', message)

const internalError = (): Refusal =>
  new Refusal(
    500,
    'InternalError',
    "Internal error occurred: the server's log says more about this request",
    {},
  )

function credentialsOf({ socket, headersDistinct: headers }: IncomingMessage): Credentials {
  const peerCertificate = (socket as Partial<TLSSocket>).getPeerX509Certificate?.()
  if (!peerCertificate) return { headers }
  return { headers, peerCertificate, intermediates: issuersOf(peerCertificate) }
}

const mostIssuers = 8

/** Those that came with a certificate, the next one first. */
function issuersOf(certificate: X509Certificate): X509Certificate[] {
  const issuers: X509Certificate[] = []
  let issuer = certificate.issuerCertificate
  while (issuer && issuers.length < mostIssuers) {
    issuers.push(issuer)
    issuer = issuer.issuerCertificate
  }
  return issuers
}

/** A namespace is in itself, so that its administrators may see it. */
function attributesOf(info: RequestInfo): Attributes {
  if (!isResource(info)) return info
  const { verb, group, resource, subresource, name = info.selectedName } = info
  const inItself = group === '' && resource === 'namespaces' ? info.name : undefined
  const namespace = info.namespace ?? inItself
  return { verb, group, resource, subresource, name, namespace }
}

/** No client sends as many, and Node takes quadratic time to read them, before anybody has authenticated. */
const mostParameters = 1000

/** The path is absent where it cannot be decoded. */
function addressOf(url: string): { path: string | undefined; query: URLSearchParams } {
  const cut = url.indexOf('?')
  const search = cut === -1 ? '' : url.slice(cut + 1)
  if (search.split('&', mostParameters + 1).length > mostParameters) {
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
