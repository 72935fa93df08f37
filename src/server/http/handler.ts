import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { fullVersion } from '@machinist/ignition/convert/versions'
import type { Access } from '../access/access.ts'
import { parseAccept } from '../answer/accept.ts'
import { notYet } from '../answer/refusal.ts'
import type { ConfigService } from '../prepared/config-service.ts'
import type { PreparedConfig } from '../prepared/prepared-config.ts'
import { acceptsGzip, isNotModified } from './conditional.ts'
import { clientAddress } from './connections.ts'
import type { ErrorResponse } from './error-response.ts'
import {
  accessRefused,
  internalError,
  refusalResponse,
  unknownPath,
  wrongMethod,
} from './error-response.ts'
import type { HttpLimits } from './limits.ts'
import { routeOf } from './route.ts'
import { sendBody } from './send-body.ts'
import type { ServerReport } from './server-report.ts'

export interface HandlerParts {
  readonly configs: Pick<ConfigService, 'find' | 'age' | 'notReady'>
  readonly access: Access
  readonly limits: HttpLimits
  readonly clock: Clock
  readonly log: Logger
  readonly report: ServerReport
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Answers every request of a listener. */
export function requestHandler(parts: HandlerParts, isEncrypted: boolean): RequestHandler {
  const { limits, log, report } = parts
  const chunkBytes = isEncrypted ? limits.chunkBytes : limits.plainChunkBytes
  return (request, response) => {
    // The body of a request is never read: the connection ends with the response.
    if (hasBody(request)) response.shouldKeepAlive = false
    const exchange = { request, response, chunkBytes, address: clientAddress(request.socket) }
    respond(parts, exchange).catch((error: unknown) => {
      log.error('request failed', error)
      if (response.headersSent) response.destroy()
      else sendError(report, exchange, internalError)
    })
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly chunkBytes: number
  readonly address: string
}

async function respond(parts: HandlerParts, exchange: Exchange): Promise<void> {
  const { configs, access, clock, report } = parts
  const { request, response, address } = exchange
  const { headers, method } = request
  const route = routeOf(request.url ?? '')
  if (method !== 'GET' && method !== 'HEAD') return sendError(report, exchange, wrongMethod)
  if (route.type === 'unknown') return sendError(report, exchange, unknownPath)
  if (route.type === 'health') return sendHealth(parts, exchange)
  const { pool } = route
  const { authorization } = headers
  const decision = await access({ pool, address, authorization, now: clock.now() })
  if (decision.type === 'refused') {
    const { status, reason, retryAfter } = decision
    return sendError(report, exchange, accessRefused(status, reason, retryAfter))
  }
  const found = configs.find(pool, parseAccept(headers.accept))
  if (found.type === 'refusal') {
    report.noConfig(pool, found, address)
    return sendError(report, exchange, refusalResponse(found))
  }
  await sendConfig(parts, exchange, found)
  if (response.statusCode === 200 && method === 'GET') {
    report.served(pool, found, address, headers['user-agent'])
  }
}

async function sendConfig(
  { configs, clock, limits, report }: HandlerParts,
  { request, response, chunkBytes, address }: Exchange,
  config: PreparedConfig,
): Promise<void> {
  const { headers, method } = request
  const isCompressed = acceptsGzip(headers['accept-encoding'])
  const { bytes, etag, encoding } = isCompressed ? await config.compressed() : config.plain
  const age = configs.age()
  const common = {
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Accept-Encoding, Authorization',
    'Ignition-Version': fullVersion(config.version),
    ...(age > 0 && { Age: String(age) }),
  }
  if (isNotModified(headers['if-none-match'], etag)) {
    response.writeHead(304, common).end()
    return
  }
  response.writeHead(200, {
    ...common,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    ...(encoding && { 'Content-Encoding': encoding }),
  })
  if (method === 'HEAD') {
    response.end()
    return
  }
  const stallMs = limits.stallMs
  sendBody(response, bytes, { chunkBytes, stallMs }, clock, () =>
    report.closed('slow reader', address),
  )
}

function sendHealth({ configs, report }: HandlerParts, exchange: Exchange): void {
  const why = configs.notReady()
  if (why === undefined) {
    exchange.response.writeHead(200, { 'Content-Length': 0 }).end()
    return
  }
  const action = 'Check the log of the server.'
  sendError(report, exchange, refusalResponse(notYet('NotReady', why, action)))
}

function sendError(
  report: ServerReport,
  { request, response }: Exchange,
  { status, reason, headers, body }: ErrorResponse,
): void {
  report.failed(reason)
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')
