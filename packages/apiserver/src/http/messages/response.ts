import type { IncomingMessage, ServerResponse } from 'node:http'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { Encoding } from './media-types.ts'
import { warningLines } from './warning-lines.ts'

/** Smaller bodies are not compressed. */
const minCompressedBytes = 128 * 1024

/** The response of one request. */
export class ApiResponse {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly #pretty: boolean
  readonly #warnings: string[] = []
  encoding: Encoding = 'application/json'

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    auditId: string,
  ) {
    this.request = request
    this.response = response
    this.#pretty = wantsPretty(query.get('pretty'), request.headers['user-agent'])
    response.setHeader('Audit-Id', auditId)
    response.setHeader('Cache-Control', 'no-cache, private')
  }

  warn(text: string): void {
    this.#warnings.push(text)
  }

  /** Writes an object in the negotiated encoding. */
  object(code: number, body: unknown, contentType: string = this.encoding): void {
    const text = this.encoding === 'application/yaml' ? toYaml(sorted(body)) : this.#json(body)
    this.bytes(code, contentType, text)
  }

  text(code: number, text: string): void {
    this.response.setHeader('X-Content-Type-Options', 'nosniff')
    this.bytes(code, 'text/plain; charset=utf-8', text)
  }

  bytes(code: number, contentType: string, body: string | Uint8Array): void {
    const { request, response } = this
    this.#addWarnings()
    response.statusCode = code
    response.setHeader('Content-Type', contentType)
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
    if (bytes.length > minCompressedBytes && request.method === 'GET' && acceptsGzip(request)) {
      this.#compressed(bytes)
      return
    }
    response.setHeader('Content-Length', bytes.length)
    response.end(request.method === 'HEAD' ? undefined : bytes)
  }

  #addWarnings(): void {
    if (this.#warnings.length === 0) return
    this.response.setHeader('Warning', warningLines(this.#warnings))
  }

  #compressed(bytes: Uint8Array): void {
    const { response } = this
    response.setHeader('Content-Encoding', 'gzip')
    response.appendHeader('Vary', 'Accept-Encoding')
    process.getBuiltinModule('node:zlib').gzip(bytes, { level: 1 }, (error, packed) => {
      if (error) response.destroy(error)
      else response.end(packed)
    })
  }

  #json(body: unknown): string {
    return this.#pretty ? JSON.stringify(body, null, 2) : `${JSON.stringify(body)}\n`
  }
}

/** curl and browsers get indented JSON by default. */
function wantsPretty(requested: string | null, agent = ''): boolean {
  if (requested !== null) return requested === '' || requested === 'true' || requested === '1'
  return /^(curl|Wget|Mozilla\/5\.0)/.test(agent)
}

const acceptsGzip = (request: IncomingMessage): boolean =>
  /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')

/** Kubernetes' YAML has sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  )
}
