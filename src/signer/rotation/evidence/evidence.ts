import { sameJson } from '@machinist/core/encoding/json'
import type { Lister } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeFacts } from '@machinist/kube/nodes/node-facts'
import { nodeFacts, notReadyText } from '@machinist/kube/nodes/node-facts'
import { Heap } from '@machinist/kube/queue/heap'
import type { NodeTrust } from '../../../api/kinds/resources.ts'
import { isManaged } from '../../../api/labels.ts'
import type { LaggardFacts, NodesFacts } from '../facts/facts.ts'
import type { TrustQuery, NodeCaReport } from '../../../fleet/rotation/node-report.ts'
import { trustedFrom, nodeCaReportOf } from '../../../fleet/rotation/node-report.ts'

export interface EvidenceSources {
  readonly nodes: Pick<Lister<Node>, 'get' | 'list'>
  readonly nodeTrusts: Pick<Lister<NodeTrust>, 'get'>
}

interface NodeEntry {
  readonly name: string
  /** Since when the rotation waits for the node. */
  readonly since: number
  readonly state: 'trusting' | 'settling' | 'lacking'
  readonly countsAt: number
  readonly isExcused: boolean
  readonly holdsOld: boolean
  readonly why: string
}

const maxNamed = 20

/**
 * Counts the nodes that trust one CA, incrementally: the cost of a change does not depend on the number of nodes. All nodes are
 * evaluated again only when the question changes.
 */
export class AuthorityEvidence {
  readonly #sources: EvidenceSources
  readonly #entries = new Map<string, NodeEntry>()
  readonly #lacking = new Heap<NodeEntry>(isLonger)
  readonly #settling = new Heap<NodeEntry>((a, b) => a.countsAt < b.countsAt)
  readonly #holders = new Heap<NodeEntry>(isLonger)
  #question: TrustQuery | undefined
  #excused: ReadonlySet<string> = new Set()
  #questionKey: unknown
  #trusting = 0
  #waiting = 0
  #excusedCount = 0
  #evaluatedAt = -Infinity

  constructor(sources: EvidenceSources) {
    this.#sources = sources
  }

  /** Sets the question; does nothing if it is unchanged. */
  ask(question: TrustQuery, excused: readonly string[], now: number): void {
    const { desired = [], former } = question
    const key = { ...question, desired: [...desired], former: [...former], excused }
    if (sameJson(key, this.#questionKey)) return
    // Nodes that have settled for the previous question may not have for this one.
    const isOther =
      question.settleMs !== this.#question?.settleMs ||
      question.item !== this.#question?.item ||
      question.authority.fingerprint !== this.#question.authority.fingerprint
    this.#questionKey = key
    this.#question = question
    this.#excused = new Set(excused)
    const known = [...this.#entries.keys()]
    if (isOther) for (const name of known) this.#remove(name)
    for (const { metadata } of this.#sources.nodes.list()) this.nodeChanged(metadata.name, now)
  }

  /** Evaluates a changed node; returns whether that changes the evidence. */
  nodeChanged(name: string, now: number): boolean {
    const question = this.#question
    if (!question) return false
    const before = this.#remove(name)
    const node = this.#sources.nodes.get(name)
    if (!node || !isManaged(node.metadata.labels)) return before !== undefined
    const entry = this.#evaluate(node, question, before, now)
    this.#put(entry)
    return !sameJson(before, entry)
  }

  facts(now: number): NodesFacts {
    if (now < this.#evaluatedAt) this.#clockWentBack(now)
    this.#evaluatedAt = now
    for (let next = this.#settling.first; next && next.countsAt <= now;) {
      this.#remove(next.name)
      this.#put({ ...next, state: 'trusting' })
      next = this.#settling.first
    }
    return {
      total: this.#entries.size,
      trusting: this.#trusting,
      excused: this.#excusedCount,
      lacking: this.#lacking.size,
      settling: this.#waiting,
      settlesAt: this.#settling.first?.countsAt,
      holdingOld: this.#holders.size,
      laggards: this.#lacking.few(maxNamed).map(laggardIn),
      holders: this.#holders.few(maxNamed).map(laggardIn),
    }
  }

  #evaluate(
    node: Readonly<Node>,
    question: TrustQuery,
    before: NodeEntry | undefined,
    now: number,
  ): NodeEntry {
    const { name } = node.metadata
    const facts = nodeFacts(node)
    const trust = this.#sources.nodeTrusts.get(name)
    const report = nodeCaReportOf(trust, node, question, now)
    // A CA that was reported just now is new, whatever the time in the report. A loaded CA stays loaded while it is reported.
    const reportedAt = before?.state === 'lacking' ? trustedFrom(now, question) : 0
    const counted = Math.min(Math.max(report.countsAt, reportedAt), before?.countsAt ?? Infinity)
    const countsAt = report.lists ? counted : Infinity
    const isTrusting = report.lists && (before?.state === 'trusting' || countsAt <= now)
    const isSettling = countsAt !== Infinity
    return {
      name,
      since: Math.max(question.authority.notBefore, facts.created),
      state: isTrusting ? 'trusting' : isSettling ? 'settling' : 'lacking',
      countsAt,
      isExcused: this.#excused.has(name),
      holdsOld: report.holdsOld,
      why: whyOf(facts, trust !== undefined, report),
    }
  }

  /** Corrects times from a clock that was ahead: the rotation would wait for them. */
  #clockWentBack(now: number): void {
    const question = this.#question
    if (!question) return
    const latest = trustedFrom(now, question)
    const ahead = [...this.#entries.values()].filter(
      ({ state: is, countsAt }) => is === 'settling' && countsAt > latest,
    )
    for (const entry of ahead) {
      this.#remove(entry.name)
      this.#put({ ...entry, countsAt: latest })
    }
  }

  #put(entry: NodeEntry): void {
    this.#entries.set(entry.name, entry)
    if (entry.state === 'trusting') this.#trusting += 1
    // Excused nodes settle, too.
    if (entry.state === 'settling') this.#settling.push(entry)
    if (entry.isExcused) {
      this.#excusedCount += 1
      return
    }
    if (entry.state === 'settling') this.#waiting += 1
    if (entry.state === 'lacking') this.#lacking.push(entry)
    if (entry.holdsOld) this.#holders.push(entry)
  }

  #remove(name: string): NodeEntry | undefined {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    this.#entries.delete(name)
    if (entry.state === 'trusting') this.#trusting -= 1
    if (entry.isExcused) this.#excusedCount -= 1
    else if (entry.state === 'settling') this.#waiting -= 1
    for (const heap of [this.#lacking, this.#settling, this.#holders]) heap.remove(entry)
    return entry
  }
}

/** The most likely reason: a node that is off does not report, whatever it reported last. */
function whyOf(
  { notReadySince }: NodeFacts,
  hasReported: boolean,
  { why, lists }: NodeCaReport,
): string {
  if (notReadySince !== undefined) return notReadyText(notReadySince)
  if (!hasReported) return 'has not reported yet'
  if (why !== undefined) return why.slice(0, maxWhyCharacters)
  return lists ? 'still has a CA that is no longer published' : 'does not have it yet'
}

const maxWhyCharacters = 512

const laggardIn = ({ name, since, why }: NodeEntry): LaggardFacts => ({ name, since, why })

function isLonger(a: NodeEntry, b: NodeEntry): boolean {
  return a.since === b.since ? a.name < b.name : a.since < b.since
}
