import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { RotationPhase, TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import { goesBack } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import { timeOf } from './times.ts'

/** That somebody asked for another CA, when, and which one was current then. */
export interface Asked {
  readonly at: number
  readonly instead?: string
  /** It was asked for the previous one. */
  readonly isBack?: boolean
}

interface Span {
  readonly phase: RotationPhase
  readonly since: number
}

/** What a rotation did while it was looked at: a status tells only how it is now. */
export class Journal {
  readonly #asked: Asked | undefined
  readonly #spans: Span[] = []
  readonly #written = new Map<string, string>()
  readonly #loaded = new Map<string, string>()
  #files = 0
  #restarts = 0
  #began: number | undefined
  #isBack: boolean

  constructor(asked?: Asked) {
    this.#asked = asked
    this.#began = asked?.at
    this.#isBack = asked?.isBack ?? false
  }

  /** When it began, in milliseconds since the epoch, if it did. */
  get began(): number | undefined {
    return this.#began
  }

  get askedAt(): number | undefined {
    return this.#asked?.at
  }

  /** Whether the CA that signs was there before. */
  get isBack(): boolean {
    return this.#isBack
  }

  /** Files that nodes have written for it. */
  get files(): number {
    return this.#files
  }

  /** Kubelets that were restarted for it. */
  get restarts(): number {
    return this.#restarts
  }

  /** Until the signer has reacted, everything that can be seen is of the time before. */
  hasReacted({ current }: TrustRotationStatus = {}): boolean {
    return !this.#asked || (current !== undefined && current.fingerprint !== this.#asked.instead)
  }

  see(facts: RotationFacts): void {
    const { status } = facts.rotation
    const hasReacted = this.hasReacted(status)
    if (status && hasReacted) this.#seePhase(status, facts.now)
    this.#seeNodes(facts, hasReacted)
  }

  /** How long it was in a phase in all; undefined if it was not seen there. */
  took(phase: RotationPhase, now: number): number | undefined {
    const lengths = this.#spans.flatMap((span, i) =>
      span.phase === phase ? [Math.max(0, (this.#spans[i + 1]?.since ?? now) - span.since)] : [],
    )
    return lengths.length === 0 ? undefined : lengths.reduce((sum, each) => sum + each, 0)
  }

  /** When it was completed. */
  get completedAt(): number | undefined {
    const last = this.#spans.at(-1)
    return last?.phase === 'Completed' ? last.since : undefined
  }

  #seePhase(status: TrustRotationStatus, now: number): void {
    const { phase, phaseSince, current, retiring = [] } = status
    if (!phase) return
    // When the others are gone, nothing tells any more which one was first.
    if (retiring.length > 0) this.#isBack = goesBack(status)
    const since = timeOf(phaseSince) ?? now
    if (this.#began === undefined && phase !== 'Completed') {
      const isNew = retiring.length > 0 && !this.#isBack
      this.#began = (isNew ? timeOf(current?.notBefore) : undefined) ?? since
    }
    if (this.#spans.at(-1)?.phase !== phase) this.#spans.push({ phase, since })
  }

  /** What was there before somebody asked, or before it began, was not done for it. */
  #seeNodes({ rotation, nodeTrusts = [] }: RotationFacts, hasReacted: boolean): void {
    const { trustedBy } = rotation.spec
    if (!trustedBy) return
    for (const { metadata, status } of nodeTrusts) {
      const item = status?.items?.find(({ name }) => name === trustedBy)
      if (!item) continue
      if (this.#isNews(this.#written, metadata.name, item.writtenAt, hasReacted)) {
        this.#files += filesOf(item)
      }
      if (this.#isNews(this.#loaded, metadata.name, item.loadedAt, hasReacted)) {
        this.#restarts += 1
      }
    }
  }

  #isNews(
    known: Map<string, string>,
    node: string,
    time: string | undefined,
    hasReacted: boolean,
  ): boolean {
    if (time === undefined || known.get(node) === time) return false
    const isFirst = !known.has(node)
    known.set(node, time)
    if (!hasReacted) return false
    // Clocks of nodes and of this machine differ: what was seen before the reaction is compared with that alone.
    if (this.#asked && !isFirst) return true
    return (
      this.#began !== undefined && (timeOf(time) ?? 0) >= this.#began - (this.#asked ? 1000 : 0)
    )
  }
}

const filesOf = ({ paths = [] }: NodeTrustItem): number => Math.max(paths.length, 1)
