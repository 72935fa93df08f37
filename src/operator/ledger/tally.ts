import type { TrustDigests } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { NodeFacts } from '@machinist/kube/node-facts'
import { Heap } from '@machinist/kube/queue/heap'
import type { Holding, Told, TrustTold } from '../../fleet/trust/judge.ts'
import { holdings, isBehind, judge } from '../../fleet/trust/judge.ts'

/** A node and an item. */
interface Entry {
  readonly node: string
  holding: Holding
  /** Since when the node lacks what it should have. */
  since: number
  notAfter: number
  runsOut: number
}

export interface Laggard {
  readonly node: string
  readonly holding: Holding
  readonly since: number
  readonly notReadySince?: number | undefined
  readonly why?: string | undefined
}

export interface ItemTally {
  readonly item: TrustItem
  readonly counts: Readonly<Record<Holding, number>>
  readonly behind: number
  /** Since when the first of them is behind. */
  readonly oldest: number | undefined
  /** When the first certificate ends that any node has of it. */
  readonly notAfter: number | undefined
  /** When the first node is left without a certificate that no other one replaces. */
  readonly runsOut: number | undefined
}

/**
 * Who has what, counted as it changes: news from one node costs the same however many there are. Only when the cluster
 * wants something else is every node looked at again.
 */
export class Tally {
  readonly #nodes = new Map<string, NodeFacts>()
  readonly #told = new Map<string, TrustTold>()
  readonly #items = new Map(Object.values(trustItems).map((item) => [item, new Column()]))
  #wanted: TrustDigests | undefined

  get size(): number {
    return this.#nodes.size
  }

  get wanted(): TrustDigests | undefined {
    return this.#wanted
  }

  /** Undefined: the cluster does not say what it wants. */
  want(wanted: TrustDigests | undefined, now: number): void {
    this.#wanted = wanted
    for (const node of this.#nodes.keys()) this.#judge(node, now)
  }

  join(node: string, facts: NodeFacts, now: number): void {
    this.#nodes.set(node, facts)
    this.#judge(node, now)
  }

  leave(node: string): void {
    this.#nodes.delete(node)
    for (const column of this.#items.values()) column.remove(node)
  }

  tell(node: string, told: TrustTold | undefined, now: number): void {
    if (told) this.#told.set(node, told)
    else this.#told.delete(node)
    if (this.#nodes.has(node)) this.#judge(node, now)
  }

  /** Those who are behind were so at this time already, as far as they existed. */
  recall(since: number): void {
    for (const column of this.#items.values()) {
      column.recall((node) => Math.max(since, this.#nodes.get(node)?.created ?? since))
    }
  }

  items(): ItemTally[] {
    return [...this.#items].map(([item, { counts, behind, oldest, notAfter, runsOut }]) => ({
      item,
      counts,
      behind,
      oldest,
      notAfter,
      runsOut,
    }))
  }

  /** Those who lack an item longest. */
  laggards(item: TrustItem, most: number): Laggard[] {
    return this.#items
      .get(item)!
      .laggards(most)
      .map(({ node, holding, since }) => ({
        node,
        holding,
        since,
        notReadySince: this.#nodes.get(node)?.notReadySince,
        why: this.#told.get(node)?.get(item)?.why,
      }))
  }

  #judge(node: string, now: number): void {
    const told = this.#told.get(node)
    for (const [item, column] of this.#items) {
      const said = told?.get(item)
      // Nobody lacks what nobody is known to want.
      const holding = this.#wanted ? judge(this.#wanted[item], said) : (said?.state ?? 'NotGiven')
      column.set(node, holding, said, now)
    }
  }
}

/** One item on all nodes. */
class Column {
  readonly counts = Object.fromEntries(holdings.map((each) => [each, 0])) as Record<Holding, number>
  readonly #entries = new Map<string, Entry>()
  readonly #behind = new Heap<Entry>(isLonger)
  readonly #ending = new Heap<Entry>((a, b) => a.notAfter < b.notAfter)
  readonly #runningOut = new Heap<Entry>((a, b) => a.runsOut < b.runsOut)

  get behind(): number {
    return this.#behind.size
  }

  get oldest(): number | undefined {
    return this.#behind.first?.since
  }

  get notAfter(): number | undefined {
    return this.#ending.first?.notAfter
  }

  get runsOut(): number | undefined {
    return this.#runningOut.first?.runsOut
  }

  set(node: string, holding: Holding, told: Told | undefined, now: number): void {
    const { notAfter = Infinity, runsOut = Infinity } = told ?? {}
    const before = this.#entries.get(node)
    const isSame = before?.notAfter === notAfter && before.runsOut === runsOut
    if (isSame && before.holding === holding) return
    const wasBehind = before !== undefined && isBehind(before.holding)
    const since = wasBehind ? before.since : now
    if (before) this.remove(node)
    const entry = { node, holding, since, notAfter, runsOut }
    this.#entries.set(node, entry)
    this.counts[holding] += 1
    if (isBehind(holding)) this.#behind.push(entry)
    if (notAfter !== Infinity) this.#ending.push(entry)
    if (runsOut !== Infinity) this.#runningOut.push(entry)
  }

  remove(node: string): void {
    const entry = this.#entries.get(node)
    if (!entry) return
    this.#entries.delete(node)
    this.counts[entry.holding] -= 1
    this.#behind.remove(entry)
    this.#ending.remove(entry)
    this.#runningOut.remove(entry)
  }

  recall(since: (node: string) => number): void {
    for (const entry of this.#entries.values()) {
      if (!this.#behind.has(entry)) continue
      entry.since = Math.min(entry.since, since(entry.node))
      this.#behind.moved(entry)
    }
  }

  laggards(most: number): readonly Entry[] {
    return this.#behind.few(most)
  }
}

function isLonger(a: Entry, b: Entry): boolean {
  return a.since === b.since ? a.node < b.node : a.since < b.since
}
