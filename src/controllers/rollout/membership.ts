import { sameJson } from '@machinist/core/encoding/json'
import type { Labels } from '@machinist/core/objects/selectors'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { ContestedNode } from '../../fleet/rollout/facts.ts'
import type { PoolAssignment, PoolSelection } from '../../fleet/pools/pool-of-node.ts'
import { assignPool, selectionOf } from '../../fleet/pools/pool-of-node.ts'

interface KnownNode {
  readonly labels: Labels
  readonly assignment: PoolAssignment
}

/**
 * The pool of every node, updated by each change: the cost of a change of one node does not depend on the number of nodes.
 * Only a changed nodeSelector assigns all nodes again. Every change returns the affected pools.
 */
export class Membership {
  readonly #selections = new Map<string, PoolSelection>()
  readonly #nodes = new Map<string, KnownNode>()
  readonly #members = new Map<string, Set<string>>()
  readonly #contested = new Map<string, Map<string, ContestedNode>>()

  putNode(name: string, labels: Labels = {}): Set<string> {
    const before = this.#nodes.get(name)
    if (before && sameJson(before.labels, labels)) return affectedPools(before.assignment)
    return this.#assign(name, labels)
  }

  removeNode(name: string): Set<string> {
    const before = this.#nodes.get(name)
    if (!before) return new Set()
    this.#remove(name, before.assignment)
    this.#nodes.delete(name)
    return affectedPools(before.assignment)
  }

  putPool(pool: Readonly<MachineConfigPool>): Set<string> {
    const { name } = pool.metadata
    const selection = selectionOf(pool)
    const before = this.#selections.get(name)
    this.#selections.set(name, selection)
    const changed = before && sameJson(before.selector, selection.selector) ? [] : this.#assignAll()
    return new Set([name, ...changed])
  }

  removePool(name: string): Set<string> {
    this.#selections.delete(name)
    const changed = this.#assignAll()
    this.#members.delete(name)
    this.#contested.delete(name)
    return changed
  }

  assignment(node: string): PoolAssignment {
    return this.#nodes.get(node)?.assignment ?? {}
  }

  members(pool: string): ReadonlySet<string> {
    return this.#members.get(pool) ?? new Set()
  }

  contestedNodes(pool: string): readonly ContestedNode[] {
    return [...(this.#contested.get(pool)?.values() ?? [])]
  }

  problem(pool: string): string | undefined {
    return this.#selections.get(pool)?.problem
  }

  #assignAll(): Set<string> {
    const changed = new Set<string>()
    for (const [name, { labels, assignment }] of this.#nodes) {
      const after = assignPool(labels, this.#selections.values())
      if (sameJson(assignment, after)) continue
      for (const pool of this.#assign(name, labels)) changed.add(pool)
    }
    return changed
  }

  #assign(name: string, labels: Labels): Set<string> {
    const before = this.#nodes.get(name)
    const assignment = assignPool(labels, this.#selections.values())
    if (before) this.#remove(name, before.assignment)
    this.#nodes.set(name, { labels, assignment })
    if (assignment.pool !== undefined) entryOf(this.#members, assignment.pool, newSet).add(name)
    const { contested = [] } = assignment
    for (const pool of contested) {
      entryOf(this.#contested, pool, newMap).set(name, { node: name, pools: contested })
    }
    return new Set([
      ...(before ? affectedPools(before.assignment) : []),
      ...affectedPools(assignment),
    ])
  }

  #remove(name: string, { pool, contested = [] }: PoolAssignment): void {
    if (pool !== undefined) this.#members.get(pool)?.delete(name)
    for (const each of contested) this.#contested.get(each)?.delete(name)
  }
}

const newSet = (): Set<string> => new Set()
const newMap = (): Map<string, ContestedNode> => new Map()

function affectedPools({ pool, contested = [] }: PoolAssignment): Set<string> {
  return new Set(pool === undefined ? contested : [pool, ...contested])
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}
