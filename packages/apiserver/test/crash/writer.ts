import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { HttpsCalls, Wire } from './https-calls.ts'
import type { Attempt, Entry, Held } from './ledger.ts'
import { discrepancy } from './ledger.ts'

/** The objects of a writer: path of the collection, and their content. */
export interface Collection {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
}

export interface Acknowledged {
  readonly path: string
  readonly name: string
  readonly version: number
}

export interface WriterOptions {
  readonly id: number
  readonly collection: Collection
  readonly random: Random
  readonly acknowledged: (write: Acknowledged) => void
}

const names = 5
const mergePatch = 'application/merge-patch+json'
const applyPatch = 'application/apply-patch+yaml'

/** Creates, updates and deletes its objects, one request at a time, and records every answer. */
export class Writer {
  readonly #options: WriterOptions
  readonly #entries = new Map<string, Entry>()
  #attempt: { name: string; attempt: Attempt } | undefined
  #sequence = 0

  constructor(options: WriterOptions) {
    this.#options = options
  }

  /** Writes until the connection breaks. Throws on unexpected answers. */
  async writeOn(calls: HttpsCalls): Promise<void> {
    for (;;) {
      const name = `writer-${this.#options.id}-${between(this.#options.random, 1, names)}`
      const answer = await this.#write(calls, name)
      if (!answer) return
    }
  }

  /** Checks the objects after a restart, and continues with them. */
  check(items: readonly Wire[]): string[] {
    const found = new Map(items.map((item) => [item.metadata.name, held(item)]))
    const wrong: string[] = []
    for (const [name, entry] of this.#entries) {
      const attempt = this.#attempt?.name === name ? this.#attempt.attempt : undefined
      const now = found.get(name)
      const problem = discrepancy(entry, attempt, now)
      if (problem !== undefined) wrong.push(`${name}: ${problem}`)
      this.#entries.set(name, {
        present: now,
        version: Math.max(entry.version, now?.version ?? 0),
      })
    }
    this.#attempt = undefined
    return wrong
  }

  /** False without an answer. */
  async #write(calls: HttpsCalls, name: string): Promise<boolean> {
    const entry = this.#entries.get(name) ?? { present: undefined, version: 0 }
    this.#entries.set(name, entry)
    const { attempt, method, path, body, type } = this.#plan(name, entry.present)
    this.#attempt = { name, attempt }
    let outcome
    try {
      outcome = await calls.call(method, path, body, type)
    } catch {
      return false
    }
    const { code, body: answer } = outcome
    if (code !== 200 && code !== 201) {
      throw new Error(`${method} ${path}: ${code} ${JSON.stringify(answer)}`)
    }
    this.#attempt = undefined
    this.#learn(name, entry, attempt, answer)
    return true
  }

  #learn(name: string, entry: Entry, attempt: Attempt, answer: Wire): void {
    if (attempt.kind === 'delete') {
      this.#entries.set(name, { present: undefined, version: entry.version })
      return
    }
    const present = held(answer)
    if (present.sequence !== attempt.sequence || present.version <= entry.version) {
      throw new Error(`${name}: answered ${JSON.stringify(present)} to ${JSON.stringify(attempt)}`)
    }
    this.#entries.set(name, { present, version: present.version })
    const { path } = this.#options.collection
    this.#options.acknowledged({ path, name, version: present.version })
  }

  #plan(name: string, present: Held | undefined): Plan {
    const { random, collection } = this.#options
    const path = `${collection.path}/${name}`
    if (present && random.next() < 0.15) {
      return { attempt: { kind: 'delete' }, method: 'DELETE', path }
    }
    const sequence = String(++this.#sequence)
    const data = { sequence, filler: 'x'.repeat(between(random, 0, 4000)) }
    const { apiVersion, kind } = collection
    const whole = { apiVersion, kind, metadata: { name }, data }
    if (!present) {
      const attempt: Attempt = { kind: 'create', sequence }
      return { attempt, method: 'POST', path: collection.path, body: whole }
    }
    const attempt: Attempt = { kind: 'change', sequence }
    const metadata = { name, resourceVersion: String(present.version) }
    const dice = random.next()
    if (dice < 0.4) return { attempt, method: 'PUT', path, body: { ...whole, metadata } }
    if (dice < 0.7) return { attempt, method: 'PATCH', path, body: { data }, type: mergePatch }
    const applied = `${path}?fieldManager=crash&force=true`
    return { attempt, method: 'PATCH', path: applied, body: whole, type: applyPatch }
  }
}

interface Plan {
  readonly attempt: Attempt
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

export function held({ metadata, data }: Wire): Held {
  const { uid, resourceVersion } = metadata
  return { uid, version: Number(resourceVersion), sequence: data?.['sequence'] ?? '' }
}
