import type { Clock } from '@machinist/core/clock'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { RotationObjects } from '../facts/objects.ts'

/** The state that a write was tried with. */
interface Tried {
  readonly object: Readonly<TrustRotation>
  readonly found: RotationObjects
}

interface Refusal {
  readonly message: string
  /** The state of the attempt; with another state the write may succeed. */
  readonly tried: string
  readonly sinceMs: number
}

/** Retry interval of a rejected write: RBAC or admission rules may change. */
export const refusedMs = 60_000

/** Keeps rejected writes from being repeated at every change: each attempt would generate a new key. */
export class RefusedWrites {
  readonly #clock: Clock
  readonly #refusals = new Map<string, Refusal>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(write: RotationWrite, tried: Tried, message: string): void {
    const sinceMs = this.#clock.elapsed()
    this.#refusals.set(nameOf(write, tried), { message, tried: stateOf(write, tried), sinceMs })
  }

  /** Why the write was rejected recently; undefined: it may be tried. */
  why(write: RotationWrite, tried: Tried): string | undefined {
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

const nameOf = (write: RotationWrite, { object }: Tried): string =>
  `${object.metadata.name}/${write.type}/${'index' in write ? write.index : ''}`

function stateOf(write: RotationWrite, { object, found }: Tried): string {
  const content =
    'action' in write ? write.action : write.authorities.map((each) => each.fingerprint)
  const before = 'index' in write ? listOf(write, found)[write.index] : found[write.type]
  const { generation } = object.metadata
  return JSON.stringify([content, generation, before?.metadata.resourceVersion])
}

const listOf = (
  { type }: { readonly type: 'published' | 'target' },
  found: RotationObjects,
): RotationObjects['targets'] => (type === 'target' ? found.targets : found.published)
