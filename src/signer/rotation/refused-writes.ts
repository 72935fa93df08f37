import type { TrustRotation } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Write } from './decide.ts'
import type { Found } from './gather.ts'

/** What a write was tried with. */
interface Tried {
  readonly object: Readonly<TrustRotation>
  readonly found: Found
}

interface Refusal {
  readonly message: string
  /** What it was tried for; with something else it may be wanted. */
  readonly tried: string
  readonly sinceMs: number
}

/** The rights or the rules of admission that refused something may change. */
export const refusedMs = 60_000

/** What the API server did not want is not sent again at every bit of news: each time would cost a new key. */
export class RefusedWrites {
  readonly #clock: Clock
  readonly #refusals = new Map<string, Refusal>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(write: Write, tried: Tried, message: string): void {
    const sinceMs = this.#clock.elapsed()
    this.#refusals.set(nameOf(write, tried), { message, tried: stateOf(write, tried), sinceMs })
  }

  /** Why it was refused just now; undefined: it may be tried. */
  why(write: Write, tried: Tried): string | undefined {
    const refusal = this.#refusals.get(nameOf(write, tried))
    if (!refusal || refusal.tried !== stateOf(write, tried)) return undefined
    return this.#clock.elapsed() < refusal.sinceMs + refusedMs ? refusal.message : undefined
  }

  forget(rotation: string): void {
    for (const name of this.#refusals.keys()) {
      if (name.startsWith(`${rotation}/`)) this.#refusals.delete(name)
    }
  }
}

const nameOf = (write: Write, { object }: Tried): string =>
  `${object.metadata.name}/${write.to}/${'index' in write ? write.index : ''}`

function stateOf(write: Write, { object, found }: Tried): string {
  const wish = 'do' in write ? write.do : write.authorities.map((each) => each.fingerprint)
  const before = 'index' in write ? listOf(write, found)[write.index] : found[write.to]
  const { generation } = object.metadata
  return JSON.stringify([wish, generation, before?.metadata.resourceVersion])
}

const listOf = ({ to }: { readonly to: 'published' | 'target' }, found: Found): Found['targets'] =>
  to === 'target' ? found.targets : found.published
