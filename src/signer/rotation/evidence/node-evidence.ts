import type { Authority, NodesFacts, CertificateFacts } from '../facts/facts.ts'
import { currentIn, previousIn } from '../facts/facts.ts'
import { desiredAuthorities } from '../decide/desired-authorities.ts'
import type { TrustQuery } from '../../../fleet/rotation/node-report.ts'
import { excusedNodes } from '../../../fleet/rotation/override.ts'
import { formerAuthorities } from '../decide/own-authorities.ts'
import type { EvidenceSources } from './evidence.ts'
import { AuthorityEvidence } from './evidence.ts'

type CachedFacts = Omit<CertificateFacts, 'nodes' | 'previousNodes'>

/** What nodes report about the current and the previous CA of each rotation with `trustedBy`. */
export class NodeEvidence {
  readonly #sources: EvidenceSources
  /** By rotation, then by fingerprint: the evidence of a CA is kept when a rotation goes back. */
  readonly #evidence = new Map<string, Map<string, AuthorityEvidence>>()

  constructor(sources: EvidenceSources) {
    this.#sources = sources
  }

  /** Evaluates a changed node; returns the rotations that it concerns. */
  nodeChanged(node: string, now: number): string[] {
    return [...this.#evidence].flatMap(([name, evidence]) => {
      const changes = [...evidence.values()].map((each) => each.nodeChanged(node, now))
      return changes.includes(true) ? [name] : []
    })
  }

  forget(rotation: string): void {
    this.#evidence.delete(rotation)
  }

  facts(facts: CachedFacts): Pick<CertificateFacts, 'nodes' | 'previousNodes'> {
    const { rotation, now } = facts
    const { trustedBy, name, override } = rotation
    if (trustedBy === undefined) {
      this.forget(name)
      return { nodes: undefined }
    }
    const known = this.#evidence.get(name)
    const kept = new Map<string, AuthorityEvidence>()
    this.#evidence.set(name, kept)
    const ask = (authority: Authority | undefined): NodesFacts => {
      const fingerprint = authority?.fingerprint ?? ''
      const evidence = known?.get(fingerprint) ?? new AuthorityEvidence(this.#sources)
      kept.set(fingerprint, evidence)
      const excused = excusedNodes(override, authority?.fingerprint)
      evidence.ask(questionOf(facts, trustedBy, authority), excused, now)
      return evidence.facts(now)
    }
    const previous = previousIn(facts)
    return { nodes: ask(currentIn(facts)), ...(previous && { previousNodes: ask(previous) }) }
  }
}

function questionOf(
  facts: CachedFacts,
  item: string,
  authority: Authority | undefined,
): TrustQuery {
  return {
    item,
    authority: { fingerprint: authority?.fingerprint ?? '', notBefore: authority?.notBefore ?? 0 },
    settleMs: facts.rotation.settle.nodeMs,
    desired: desiredAuthorities(facts),
    former: formerAuthorities(facts),
  }
}
