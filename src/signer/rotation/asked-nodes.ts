import type { EvidenceSources } from './evidence.ts'
import { Evidence } from './evidence.ts'
import type { NodesFacts, RotationFacts } from './facts.ts'
import { currentIn } from './facts.ts'
import type { Question } from './node-told.ts'
import { excusedNodes } from './override.ts'

/** What nodes tell about the CAs of each rotation that asks them. */
export class AskedNodes {
  readonly #sources: EvidenceSources
  readonly #evidence = new Map<string, Evidence>()

  constructor(sources: EvidenceSources) {
    this.#sources = sources
  }

  /** There are news from a node: the rotations that it concerns. */
  heard(node: string, now: number): string[] {
    return [...this.#evidence].flatMap(([name, evidence]) =>
      evidence.heard(node, now) ? [name] : [],
    )
  }

  forget(rotation: string): void {
    this.#evidence.delete(rotation)
  }

  /** Undefined where time alone decides. */
  facts(facts: Omit<RotationFacts, 'nodes'>): NodesFacts | undefined {
    const { rotation, now } = facts
    const { trustedBy, name, override } = rotation
    if (trustedBy === undefined) {
      this.forget(name)
      return undefined
    }
    const evidence = this.#evidence.get(name) ?? new Evidence(this.#sources)
    this.#evidence.set(name, evidence)
    const excused = excusedNodes(override, currentIn(facts)?.fingerprint)
    evidence.ask(questionOf(facts, trustedBy), excused, now)
    return evidence.facts(now)
  }
}

function questionOf(facts: Omit<RotationFacts, 'nodes'>, item: string): Question {
  const { rotation, published } = facts
  const current = currentIn(facts)
  const others = published.flatMap(({ inputs }) =>
    inputs.flatMap(({ bundle }) => bundle.authorities.map(({ fingerprint }) => fingerprint)),
  )
  return {
    item,
    signer: { namespace: rotation.signer.namespace!, name: rotation.signer.name },
    authority: { fingerprint: current?.fingerprint ?? '', notBefore: current?.notBefore ?? 0 },
    settleMs: rotation.settleMs,
    others: new Set(others),
  }
}
