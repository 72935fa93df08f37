import { sameJson } from '@machinist/core/encoding/json'
import type { Node } from '@machinist/kube/kinds/core'
import type { PinnedImageSetVersion } from '../../api/pinned-images.ts'
import type { MachineConfigNode, MachineConfigPool } from '../../api/kinds/resources.ts'
import { Membership } from '../rollout/membership.ts'
import { factsOf, isUnavailable } from '../../fleet/rollout/node-facts.ts'
import type { PinnedState, ReportedSets, DesiredSets } from './node-state.ts'
import { pinnedStateOf, reportedSetsOf, desiredSetsOf } from './node-state.ts'

/** The number of nodes of one pool by state. */
export interface PinnedCounts {
  readonly machine: number
  /** Nodes with all images. */
  readonly updated: number
  /** Available nodes with all images. */
  readonly ready: number
  readonly unavailable: number
  readonly failed: number
}

interface NodeEntry {
  readonly pool: string
  readonly state: PinnedState
  readonly isUnavailable: boolean
}

/**
 * Counts the nodes with the images of their pool incrementally: the cost of a report does not depend on the number of nodes. Only
 * new desired sets evaluate all nodes of a pool again, and a changed selector all nodes. Each change returns the affected pools.
 */
export class PinnedTally {
  readonly #membership = new Membership()
  readonly #unavailable = new Map<string, boolean>()
  readonly #reported = new Map<string, ReportedSets>()
  readonly #desired = new Map<string, DesiredSets>()
  readonly #entries = new Map<string, NodeEntry>()
  readonly #counts = new Map<string, Mutable<PinnedCounts>>()

  putNode(node: Readonly<Node>): Set<string> {
    const { name, labels } = node.metadata
    this.#membership.putNode(name, labels)
    this.#unavailable.set(name, isUnavailable(factsOf(node)))
    return this.#update(name)
  }

  removeNode(name: string): Set<string> {
    this.#membership.removeNode(name)
    this.#unavailable.delete(name)
    return this.#update(name)
  }

  setReport(name: string, status: Readonly<MachineConfigNode>['status']): Set<string> {
    const reported = reportedSetsOf(status)
    if (reported) this.#reported.set(name, reported)
    else this.#reported.delete(name)
    return this.#update(name)
  }

  putPool(pool: Readonly<MachineConfigPool>): Set<string> {
    this.#membership.putPool(pool)
    return this.#updateAll()
  }

  removePool(name: string): Set<string> {
    this.#membership.removePool(name)
    this.#desired.delete(name)
    const changed = this.#updateAll()
    this.#counts.delete(name)
    return changed
  }

  setDesired(pool: string, sets: readonly PinnedImageSetVersion[]): void {
    const desired = desiredSetsOf(sets)
    if (this.#desired.get(pool)?.digest === desired.digest) return
    this.#desired.set(pool, desired)
    for (const node of this.#membership.members(pool)) this.#update(node)
  }

  counts(pool: string): PinnedCounts {
    return { ...(this.#counts.get(pool) ?? none) }
  }

  #updateAll(): Set<string> {
    const changed = new Set<string>()
    for (const name of this.#unavailable.keys())
      for (const pool of this.#update(name)) changed.add(pool)
    return changed
  }

  #update(name: string): Set<string> {
    const before = this.#entries.get(name)
    const after = this.#entryOf(name)
    if (sameJson(before, after)) return new Set()
    if (before) this.#count(before, -1)
    if (after) {
      this.#count(after, 1)
      this.#entries.set(name, after)
    } else this.#entries.delete(name)
    return new Set([before, after].flatMap((entry) => (entry ? [entry.pool] : [])))
  }

  #entryOf(name: string): NodeEntry | undefined {
    const isAway = this.#unavailable.get(name)
    const { pool } = this.#membership.assignment(name)
    if (isAway === undefined || pool === undefined) return undefined
    const state = pinnedStateOf(this.#desired.get(pool) ?? noSets, this.#reported.get(name))
    return { pool, state, isUnavailable: isAway }
  }

  #count({ pool, state, isUnavailable: isAway }: NodeEntry, by: 1 | -1): void {
    const counts = this.#counts.get(pool) ?? { ...none }
    this.#counts.set(pool, counts)
    counts.machine += by
    if (isAway) counts.unavailable += by
    if (state === 'failed') counts.failed += by
    if (state === 'updated') counts.updated += by
    if (state === 'updated' && !isAway) counts.ready += by
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

const noSets = desiredSetsOf([])
const none: PinnedCounts = { machine: 0, updated: 0, ready: 0, unavailable: 0, failed: 0 }
