import type { NodeFacts } from '@machinist/kube/nodes/node-facts'
import { Heap } from '@machinist/kube/queue/heap'
import type { TrustDigests } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { DeliveryState, ItemReport, TrustReport } from '../../fleet/trust/delivery-state.ts'
import { deliveryStates, isBehind, deliveryStateOf } from '../../fleet/trust/delivery-state.ts'

/** The state of a trust item on a node. */
interface TallyEntry {
  readonly node: string
  state: DeliveryState
  /** Since when the node lags. */
  since: number
  notAfter: number
  runsOut: number
}

export interface Laggard {
  readonly node: string
  readonly state: DeliveryState
  readonly since: number
  readonly notReadySince?: number | undefined
  readonly why?: string | undefined
}

export interface ItemTally {
  readonly item: TrustItem
  readonly counts: Readonly<Record<DeliveryState, number>>
  readonly behind: number
  /** Since when the longest lagging node lags. */
  readonly oldest: number | undefined
  /** When the first certificate on any node expires. */
  readonly notAfter: number | undefined
  /** The same, ignoring certificates whose successor the node has. */
  readonly runsOut: number | undefined
}

/**
 * Counts nodes by delivery state, incrementally: an update of one node takes constant time for any number of nodes. Only when the
 * desired digests change, all nodes are evaluated again.
 */
export class Tally {
  readonly #nodes = new Map<string, NodeFacts>()
  readonly #reports = new Map<string, TrustReport>()
  readonly #items = new Map(Object.values(trustItems).map((item) => [item, new ItemColumn()]))
  #desired: TrustDigests | undefined

  get size(): number {
    return this.#nodes.size
  }

  get desired(): TrustDigests | undefined {
    return this.#desired
  }

  /** `desired` is undefined while the ControllerConfig has no digests. */
  setDesired(desired: TrustDigests | undefined, now: number): void {
    this.#desired = desired
    for (const node of this.#nodes.keys()) this.#evaluate(node, now)
  }

  addNode(node: string, facts: NodeFacts, now: number): void {
    this.#nodes.set(node, facts)
    this.#evaluate(node, now)
  }

  removeNode(node: string): void {
    this.#nodes.delete(node)
    for (const column of this.#items.values()) column.remove(node)
  }

  setReport(node: string, report: TrustReport | undefined, now: number): void {
    if (report) this.#reports.set(node, report)
    else this.#reports.delete(node)
    if (this.#nodes.has(node)) this.#evaluate(node, now)
  }

  /** Restores the start of lags after a restart: nodes that lag have lagged since this time, or since their creation. */
  restoreSince(since: number): void {
    for (const column of this.#items.values()) {
      column.restoreSince((node) => Math.max(since, this.#nodes.get(node)?.created ?? since))
    }
  }

  items(): ItemTally[] {
    return [...this.#items].map(([item, { counts, behind, oldest, notAfter, runsOut }]) => ({
      item,
      counts: { ...counts },
      behind,
      oldest,
      notAfter,
      runsOut,
    }))
  }

  /** The nodes that have lacked an item longest. */
  laggards(item: TrustItem, most: number): Laggard[] {
    return this.#items
      .get(item)!
      .laggards(most)
      .map(({ node, state, since }) => ({
        node,
        state,
        since,
        notReadySince: this.#nodes.get(node)?.notReadySince,
        why: this.#reports.get(node)?.get(item)?.why,
      }))
  }

  #evaluate(node: string, now: number): void {
    const reports = this.#reports.get(node)
    for (const [item, column] of this.#items) {
      const report = reports?.get(item)
      // Without desired digests, no node lags.
      const state = this.#desired
        ? deliveryStateOf(this.#desired[item], report)
        : (report?.state ?? 'NotGiven')
      column.set(node, state, report, now)
    }
  }
}

/** One trust item on all nodes. */
class ItemColumn {
  readonly counts = Object.fromEntries(deliveryStates.map((each) => [each, 0])) as Record<
    DeliveryState,
    number
  >
  readonly #entries = new Map<string, TallyEntry>()
  readonly #behind = new Heap<TallyEntry>(isLonger)
  readonly #expiring = new Heap<TallyEntry>((a, b) => a.notAfter < b.notAfter)
  readonly #runningOut = new Heap<TallyEntry>((a, b) => a.runsOut < b.runsOut)

  get behind(): number {
    return this.#behind.size
  }

  get oldest(): number | undefined {
    return this.#behind.first?.since
  }

  get notAfter(): number | undefined {
    return this.#expiring.first?.notAfter
  }

  get runsOut(): number | undefined {
    return this.#runningOut.first?.runsOut
  }

  set(node: string, state: DeliveryState, report: ItemReport | undefined, now: number): void {
    const { notAfter = Infinity, runsOut = Infinity } = report ?? {}
    const before = this.#entries.get(node)
    const isSame = before?.notAfter === notAfter && before.runsOut === runsOut
    if (isSame && before.state === state) return
    const wasBehind = before !== undefined && isBehind(before.state)
    const since = wasBehind ? before.since : now
    if (before) this.remove(node)
    const entry = { node, state, since, notAfter, runsOut }
    this.#entries.set(node, entry)
    this.counts[state] += 1
    if (isBehind(state)) this.#behind.push(entry)
    if (notAfter !== Infinity) this.#expiring.push(entry)
    if (runsOut !== Infinity) this.#runningOut.push(entry)
  }

  remove(node: string): void {
    const entry = this.#entries.get(node)
    if (!entry) return
    this.#entries.delete(node)
    this.counts[entry.state] -= 1
    this.#behind.remove(entry)
    this.#expiring.remove(entry)
    this.#runningOut.remove(entry)
  }

  restoreSince(since: (node: string) => number): void {
    for (const entry of this.#entries.values()) {
      if (!this.#behind.has(entry)) continue
      entry.since = Math.min(entry.since, since(entry.node))
      this.#behind.moved(entry)
    }
  }

  laggards(most: number): readonly TallyEntry[] {
    return this.#behind.few(most)
  }
}

function isLonger(a: TallyEntry, b: TallyEntry): boolean {
  return a.since === b.since ? a.node < b.node : a.since < b.since
}
