import type { MachineConfigPool } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { Labels } from '@machinist/core/selectors'
import type { Contest } from '../../fleet/rollout/facts.ts'
import type { Belonging, PoolSelection } from '../../fleet/pools/pool-of-node.ts'
import { belongingOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'

interface Known {
  readonly labels: Labels
  readonly belonging: Belonging
}

/**
 * Which node is in which pool, kept up to date change by change: an event of one node costs the same however many nodes
 * there are. Only a changed selector makes everybody look for their pool again. Every change answers which pools it
 * concerns.
 */
export class Membership {
  readonly #selections = new Map<string, PoolSelection>()
  readonly #nodes = new Map<string, Known>()
  readonly #members = new Map<string, Set<string>>()
  readonly #contests = new Map<string, Map<string, Contest>>()

  putNode(name: string, labels: Labels = {}): Set<string> {
    const before = this.#nodes.get(name)
    if (before && sameJson(before.labels, labels)) return concerned(before.belonging)
    return this.#place(name, labels)
  }

  removeNode(name: string): Set<string> {
    const before = this.#nodes.get(name)
    if (!before) return new Set()
    this.#leave(name, before.belonging)
    this.#nodes.delete(name)
    return concerned(before.belonging)
  }

  putPool(pool: Readonly<MachineConfigPool>): Set<string> {
    const { name } = pool.metadata
    const selection = selectionOf(pool)
    const before = this.#selections.get(name)
    this.#selections.set(name, selection)
    const changed = before && sameJson(before.selector, selection.selector) ? [] : this.#placeAll()
    return new Set([name, ...changed])
  }

  removePool(name: string): Set<string> {
    this.#selections.delete(name)
    const changed = this.#placeAll()
    this.#members.delete(name)
    this.#contests.delete(name)
    return changed
  }

  belonging(node: string): Belonging {
    return this.#nodes.get(node)?.belonging ?? {}
  }

  members(pool: string): ReadonlySet<string> {
    return this.#members.get(pool) ?? new Set()
  }

  contests(pool: string): readonly Contest[] {
    return [...(this.#contests.get(pool)?.values() ?? [])]
  }

  problem(pool: string): string | undefined {
    return this.#selections.get(pool)?.problem
  }

  #placeAll(): Set<string> {
    const changed = new Set<string>()
    for (const [name, { labels, belonging }] of this.#nodes) {
      const after = belongingOf(labels, this.#selections.values())
      if (sameJson(belonging, after)) continue
      for (const pool of this.#place(name, labels)) changed.add(pool)
    }
    return changed
  }

  #place(name: string, labels: Labels): Set<string> {
    const before = this.#nodes.get(name)
    const belonging = belongingOf(labels, this.#selections.values())
    if (before) this.#leave(name, before.belonging)
    this.#nodes.set(name, { labels, belonging })
    if (belonging.pool !== undefined) entryOf(this.#members, belonging.pool, newSet).add(name)
    const { contested = [] } = belonging
    for (const pool of contested) {
      entryOf(this.#contests, pool, newMap).set(name, { node: name, pools: contested })
    }
    return new Set([...(before ? concerned(before.belonging) : []), ...concerned(belonging)])
  }

  #leave(name: string, { pool, contested = [] }: Belonging): void {
    if (pool !== undefined) this.#members.get(pool)?.delete(name)
    for (const each of contested) this.#contests.get(each)?.delete(name)
  }
}

const newSet = (): Set<string> => new Set()
const newMap = (): Map<string, Contest> => new Map()

function concerned({ pool, contested = [] }: Belonging): Set<string> {
  return new Set(pool === undefined ? contested : [pool, ...contested])
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const there = map.get(key)
  if (there !== undefined) return there
  const made = make()
  map.set(key, made)
  return made
}
