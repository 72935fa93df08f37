import type { EvidenceSources } from './evidence.ts'
import { Evidence } from './evidence.ts'
import type { Authority, NodesFacts, RotationFacts } from './facts.ts'
import { currentIn, previousIn } from './facts.ts'
import { desiredAuthorities } from './desired-authorities.ts'
import type { Question } from '../../fleet/rotation/node-told.ts'
import { excusedNodes } from '../../fleet/rotation/override.ts'
import { formerAuthorities } from './own-authorities.ts'

type CachedFacts = Omit<RotationFacts, 'nodes' | 'previousNodes'>

/** What nodes report about the current and the previous CA of each rotation that asks them. */
export class AskedNodes {
  readonly #sources: EvidenceSources
  /** By rotation, then by fingerprint: what is known of a CA stays known when a rotation goes back. */
  readonly #evidence = new Map<string, Map<string, Evidence>>()

  constructor(sources: EvidenceSources) {
    this.#sources = sources
  }

  /** There are news from a node: the rotations that it concerns. */
  heard(node: string, now: number): string[] {
    return [...this.#evidence].flatMap(([name, evidence]) => {
      const changes = [...evidence.values()].map((each) => each.heard(node, now))
      return changes.includes(true) ? [name] : []
    })
  }

  forget(rotation: string): void {
    this.#evidence.delete(rotation)
  }

  facts(facts: CachedFacts): Pick<RotationFacts, 'nodes' | 'previousNodes'> {
    const { rotation, now } = facts
    const { trustedBy, name, override } = rotation
    if (trustedBy === undefined) {
      this.forget(name)
      return { nodes: undefined }
    }
    const known = this.#evidence.get(name)
    const kept = new Map<string, Evidence>()
    this.#evidence.set(name, kept)
    const ask = (authority: Authority | undefined): NodesFacts => {
      const fingerprint = authority?.fingerprint ?? ''
      const evidence = known?.get(fingerprint) ?? new Evidence(this.#sources)
      kept.set(fingerprint, evidence)
      const excused = excusedNodes(override, authority?.fingerprint)
      evidence.ask(questionOf(facts, trustedBy, authority), excused, now)
      return evidence.facts(now)
    }
    const previous = previousIn(facts)
    return { nodes: ask(currentIn(facts)), ...(previous && { previousNodes: ask(previous) }) }
  }
}

function questionOf(facts: CachedFacts, item: string, authority: Authority | undefined): Question {
  return {
    item,
    authority: { fingerprint: authority?.fingerprint ?? '', notBefore: authority?.notBefore ?? 0 },
    settleMs: facts.rotation.settle.nodeMs,
    desired: desiredAuthorities(facts),
    former: formerAuthorities(facts),
  }
}
