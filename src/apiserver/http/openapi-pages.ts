import type { KindRegistry } from '../kinds/kind-registry.ts'
import { openApiDocument, openApiIndex, openApiPath } from '../openapi/document.ts'
import type { Answer } from './answer.ts'
import type { Page } from './api-parts.ts'
import { methodNotAllowed } from './status-body.ts'

const root = '/openapi/v3'

/** The OpenAPI documents, made once for every change of the kinds. */
export class OpenApiPages implements Page {
  readonly paths = [root, `${root}/`]
  readonly #kinds: KindRegistry
  readonly #made = new Map<string, unknown>()
  #madeAt = -1

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds
  }

  answer(path: string, query: URLSearchParams, answer: Answer): boolean {
    if ((path !== root && !path.startsWith(`${root}/`)) || path.endsWith('/')) return false
    const document = this.#document(path.slice(root.length + 1))
    if (document === undefined) return false
    if (answer.request.method !== 'GET') throw methodNotAllowed()
    // Whoever names the digest may keep what it stands for.
    if (query.has('hash')) answer.response.setHeader('Cache-Control', 'public, immutable')
    answer.object(200, document)
    return true
  }

  #document(name: string): unknown {
    if (this.#madeAt !== this.#kinds.changes) this.#made.clear()
    this.#madeAt = this.#kinds.changes
    const known = this.#made.get(name) ?? this.#make(name)
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
