import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { RotationPhase, TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import { goesBack } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import { toMilliseconds } from './times.ts'

/** A request for another CA. */
export interface RequestedRotation {
  readonly at: number
  /** Fingerprint of the CA that was current at the time of the request. */
  readonly replaces?: string
  /** Whether the previous CA was requested. */
  readonly isBack?: boolean
}

interface PhaseSpan {
  readonly phase: RotationPhase
  readonly since: number
}

/** The history of a rotation while it is observed; its status only has the current state. */
export class RotationJournal {
  readonly #request: RequestedRotation | undefined
  readonly #spans: PhaseSpan[] = []
  readonly #written = new Map<string, string>()
  readonly #loaded = new Map<string, string>()
  #files = 0
  #restarts = 0
  #began: number | undefined
  #isBack: boolean

  constructor(request?: RequestedRotation) {
    this.#request = request
    this.#began = request?.at
    this.#isBack = request?.isBack ?? false
  }

  /** When the rotation began, in milliseconds since the epoch. */
  get began(): number | undefined {
    return this.#began
  }

  get requestedAt(): number | undefined {
    return this.#request?.at
  }

  /** Whether the rotation goes back to an earlier CA. */
  get isBack(): boolean {
    return this.#isBack
  }

  /** Number of files that nodes have written for the rotation. */
  get files(): number {
    return this.#files
  }

  /** Number of kubelets that were restarted for the rotation. */
  get restarts(): number {
    return this.#restarts
  }

  /** Before the signer has reacted, the status describes the time before the request. */
  hasReacted({ current }: TrustRotationStatus = {}): boolean {
    return (
      !this.#request || (current !== undefined && current.fingerprint !== this.#request.replaces)
    )
  }

  record(facts: RotationFacts): void {
    const { status } = facts.rotation
    const hasReacted = this.hasReacted(status)
    if (status && hasReacted) this.#recordPhase(status, facts.now)
    this.#recordNodes(facts, hasReacted)
  }

  /** Total duration of a phase; undefined if it was not observed. */
  durationOf(phase: RotationPhase, now: number): number | undefined {
    const lengths = this.#spans.flatMap((span, i) =>
      span.phase === phase ? [Math.max(0, (this.#spans[i + 1]?.since ?? now) - span.since)] : [],
    )
    return lengths.length === 0 ? undefined : lengths.reduce((sum, each) => sum + each, 0)
  }

  /** When the rotation completed. */
  get completedAt(): number | undefined {
    const last = this.#spans.at(-1)
    return last?.phase === 'Completed' ? last.since : undefined
  }

  #recordPhase(status: TrustRotationStatus, now: number): void {
    const { phase, phaseSince, current, retiring = [] } = status
    if (!phase) return
    // Without retiring CAs the order of the CAs is unknown.
    if (retiring.length > 0) this.#isBack = goesBack(status)
    const since = toMilliseconds(phaseSince) ?? now
    if (this.#began === undefined && phase !== 'Completed') {
      const isNew = retiring.length > 0 && !this.#isBack
      this.#began = (isNew ? toMilliseconds(current?.notBefore) : undefined) ?? since
    }
    if (this.#spans.at(-1)?.phase !== phase) this.#spans.push({ phase, since })
  }

  /** Work from before the request or the beginning does not belong to the rotation. */
  #recordNodes({ rotation, nodeTrusts = [] }: RotationFacts, hasReacted: boolean): void {
    const { trustedBy } = rotation.spec
    if (!trustedBy) return
    for (const { metadata, status } of nodeTrusts) {
      const item = status?.items?.find(({ name }) => name === trustedBy)
      if (!item) continue
      if (this.#isNew(this.#written, metadata.name, item.writtenAt, hasReacted)) {
        this.#files += filesOf(item)
      }
      if (this.#isNew(this.#loaded, metadata.name, item.loadedAt, hasReacted)) {
        this.#restarts += 1
      }
    }
  }

  #isNew(
    known: Map<string, string>,
    node: string,
    time: string | undefined,
    hasReacted: boolean,
  ): boolean {
    if (time === undefined || known.get(node) === time) return false
    const isFirst = !known.has(node)
    known.set(node, time)
    if (!hasReacted) return false
    // The clocks of nodes and of this machine differ: compare with the last recorded time of the node only.
    if (this.#request && !isFirst) return true
    return (
      this.#began !== undefined &&
      (toMilliseconds(time) ?? 0) >= this.#began - (this.#request ? 1000 : 0)
    )
  }
}

const filesOf = ({ paths = [] }: NodeTrustItem): number => Math.max(paths.length, 1)
