import type { KindRegistry } from '../../kinds/kind-registry.ts'
import { openApiDocument, openApiIndex, openApiPath } from '../../openapi/document.ts'
import { v2Document } from '../../openapi/v2-document.ts'
import { v2Protobuf, v2ProtobufType } from '../../openapi/v2-protobuf.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { Page } from '../messages/api-parts.ts'
import { methodNotAllowed } from '../messages/status-body.ts'

const root = '/openapi/v3'
const older = '/openapi/v2'

/** The OpenAPI documents, computed once per change of the kinds. */
export class OpenApiPages implements Page {
  readonly paths = [older, root, `${root}/`]
  readonly #kinds: KindRegistry
  readonly #made = new Map<string, unknown>()
  #madeAt = -1

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds
  }

  answer(path: string, query: URLSearchParams, answer: ApiResponse): boolean {
    if (path === older) return this.#answerOlder(answer)
    if ((path !== root && !path.startsWith(`${root}/`)) || path.endsWith('/')) return false
    const document = this.#document(path.slice(root.length + 1))
    if (document === undefined) return false
    if (answer.request.method !== 'GET') throw methodNotAllowed()
    // A URL with the digest can be cached permanently.
    if (query.has('hash')) answer.response.setHeader('Cache-Control', 'public, immutable')
    answer.object(200, document)
    return true
  }

  /** Also in protobuf, the only format that older clients such as kubectl 1.20 read. */
  #answerOlder(answer: ApiResponse): true {
    const { method, headers } = answer.request
    if (method !== 'GET') throw methodNotAllowed()
    const wantsProtobuf = headers.accept?.includes('proto-openapi') === true
    const document = this.#kept(wantsProtobuf ? v2ProtobufType : older, () => {
      const made = v2Document(this.#kinds.all)
      return wantsProtobuf ? v2Protobuf(made) : made
    })
    if (document instanceof Uint8Array) answer.bytes(200, v2ProtobufType, document)
    else answer.object(200, document)
    return true
  }

  #document(name: string): unknown {
    return this.#kept(name, () => this.#make(name))
  }

  #kept(name: string, make: () => unknown): unknown {
    if (this.#madeAt !== this.#kinds.changes) this.#made.clear()
    this.#madeAt = this.#kinds.changes
    const known = this.#made.get(name) ?? make()
    if (known !== undefined) this.#made.set(name, known)
    return known
  }

  #make(name: string): unknown {
    const { all } = this.#kinds
    if (name === '') return openApiIndex(all)
    const members = all.filter((kind) => openApiPath(kind) === name)
    return members.length === 0 ? undefined : openApiDocument(members)
  }
}
