import type { NodeTrust } from '../../api/resources.ts'
import { isLookedAfter } from '../../api/labels.ts'
import { sameJson } from '@machinist/core/json'
import type { Lister } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeFacts } from '@machinist/kube/node-facts'
import { factsOfNode, notReadyText } from '@machinist/kube/node-facts'
import { Heap } from '@machinist/kube/queue/heap'
import type { LaggardFacts, NodesFacts } from './facts.ts'
import type { Question, Told } from '../../fleet/rotation/node-told.ts'
import { countsFrom, toldOf } from '../../fleet/rotation/node-told.ts'

export interface EvidenceSources {
  readonly nodes: Pick<Lister<Node>, 'get' | 'list'>
  readonly nodeTrusts: Pick<Lister<NodeTrust>, 'get'>
}

interface Entry {
  readonly name: string
  /** Since when it is waited for. */
  readonly since: number
  readonly is: 'trusting' | 'settling' | 'lacking'
  readonly countsAt: number
  readonly isExcused: boolean
  readonly holdsOld: boolean
  readonly why: string
}

const mostNamed = 20

/**
 * Who trusts the current CA of one signer, counted as it changes: news from one node cost the same however many there are.
 * Only when something else is asked is every node looked at again.
 */
export class Evidence {
  readonly #sources: EvidenceSources
  readonly #entries = new Map<string, Entry>()
  readonly #lacking = new Heap<Entry>(isLonger)
  readonly #settling = new Heap<Entry>((a, b) => a.countsAt < b.countsAt)
  readonly #holders = new Heap<Entry>(isLonger)
  #question: Question | undefined
  #excused: ReadonlySet<string> = new Set()
  #asked: unknown
  #trusting = 0
  #waiting = 0
  #excusedCount = 0
  #lookedAt = -Infinity

  constructor(sources: EvidenceSources) {
    this.#sources = sources
  }

  /** What is to be known; nothing happens if it is what was asked before. */
  ask(question: Question, excused: readonly string[], now: number): void {
    const { desired = [], former } = question
    const asked = { ...question, desired: [...desired], former: [...former], excused }
    if (sameJson(asked, this.#asked)) return
    // Who had long enough by what was wanted before may not by what is wanted now.
    const isOther =
      question.settleMs !== this.#question?.settleMs ||
      question.item !== this.#question?.item ||
      question.authority.fingerprint !== this.#question.authority.fingerprint
    this.#asked = asked
    this.#question = question
    this.#excused = new Set(excused)
    const known = [...this.#entries.keys()]
    if (isOther) for (const name of known) this.#remove(name)
    for (const { metadata } of this.#sources.nodes.list()) this.heard(metadata.name, now)
  }

  /** There are news from, or about, this node; answers whether they change anything. */
  heard(name: string, now: number): boolean {
    const question = this.#question
    if (!question) return false
    const before = this.#remove(name)
    const node = this.#sources.nodes.get(name)
    if (!node || !isLookedAfter(node.metadata.labels)) return before !== undefined
    const entry = this.#judged(node, question, before, now)
    this.#put(entry)
    return !sameJson(before, entry)
  }

  facts(now: number): NodesFacts {
    if (now < this.#lookedAt) this.#clockWentBack(now)
    this.#lookedAt = now
    for (let next = this.#settling.first; next && next.countsAt <= now;) {
      this.#remove(next.name)
      this.#put({ ...next, is: 'trusting' })
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
      laggards: this.#lacking.few(mostNamed).map(laggardIn),
      holders: this.#holders.few(mostNamed).map(laggardIn),
    }
  }

  #judged(node: Readonly<Node>, question: Question, before: Entry | undefined, now: number): Entry {
    const { name } = node.metadata
    const facts = factsOfNode(node)
    const trust = this.#sources.nodeTrusts.get(name)
    const told = toldOf(trust, node, question, now)
    // What came just now is new, whatever the node's clock says. What was loaded once stays so for as long as it is there, whatever else is on its way.
    const heardAt = before?.is === 'lacking' ? countsFrom(now, question) : 0
    const counted = Math.min(Math.max(told.countsAt, heardAt), before?.countsAt ?? Infinity)
    const countsAt = told.lists ? counted : Infinity
    const isTrusting = told.lists && (before?.is === 'trusting' || countsAt <= now)
    const isSettling = countsAt !== Infinity
    return {
      name,
      since: Math.max(question.authority.notBefore, facts.created),
      is: isTrusting ? 'trusting' : isSettling ? 'settling' : 'lacking',
      countsAt,
      isExcused: this.#excused.has(name),
      holdsOld: told.holdsOld,
      why: whyOf(facts, trust !== undefined, told),
    }
  }

  /** Times that were counted by a clock that was ahead would be waited for until then. */
  #clockWentBack(now: number): void {
    const question = this.#question
    if (!question) return
    const latest = countsFrom(now, question)
    const ahead = [...this.#entries.values()].filter(
      ({ is, countsAt }) => is === 'settling' && countsAt > latest,
    )
    for (const entry of ahead) {
      this.#remove(entry.name)
      this.#put({ ...entry, countsAt: latest })
    }
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.name, entry)
    if (entry.is === 'trusting') this.#trusting += 1
    // Also who is not waited for comes to trust it.
    if (entry.is === 'settling') this.#settling.push(entry)
    if (entry.isExcused) {
      this.#excusedCount += 1
      return
    }
    if (entry.is === 'settling') this.#waiting += 1
    if (entry.is === 'lacking') this.#lacking.push(entry)
    if (entry.holdsOld) this.#holders.push(entry)
  }

  #remove(name: string): Entry | undefined {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    this.#entries.delete(name)
    if (entry.is === 'trusting') this.#trusting -= 1
    if (entry.isExcused) this.#excusedCount -= 1
    else if (entry.is === 'settling') this.#waiting -= 1
    for (const heap of [this.#lacking, this.#settling, this.#holders]) heap.remove(entry)
    return entry
  }
}

/** The likeliest reason: a node that is off says nothing, whatever it said last. */
function whyOf({ notReadySince }: NodeFacts, hasTold: boolean, { why, lists }: Told): string {
  if (notReadySince !== undefined) return notReadyText(notReadySince)
  if (!hasTold) return 'has told nothing yet'
  if (why !== undefined) return why.slice(0, longestWhy)
  return lists ? 'still holds a CA that is no longer published' : 'does not have it yet'
}

const longestWhy = 512

const laggardIn = ({ name, since, why }: Entry): LaggardFacts => ({ name, since, why })

function isLonger(a: Entry, b: Entry): boolean {
  return a.since === b.since ? a.name < b.name : a.since < b.since
}
