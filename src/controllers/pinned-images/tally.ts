import type { SetVersion } from '../../api/pinned-images.ts'
import type { MachineConfigNode, MachineConfigPool } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { Node } from '@machinist/kube/kinds/core'
import { Membership } from '../rollout/membership.ts'
import { factsOf, isUnavailable } from '../../fleet/rollout/node-facts.ts'
import type { Holding, Told, Wanted } from './judge.ts'
import { judge, toldIn, wantedOf } from './judge.ts'

/** The nodes of one pool, counted. */
export interface Counts {
  readonly machine: number
  /** Have all images. */
  readonly updated: number
  /** Have all images and are in service. */
  readonly ready: number
  readonly unavailable: number
  readonly failed: number
}

interface Entry {
  readonly pool: string
  readonly holding: Holding
  readonly isAway: boolean
}

/**
 * Which nodes have the images of their pool, counted as it changes: news from one node costs the same however many there
 * are. Only when a pool wants something else are its nodes looked at again, and all of them when a selector changes. Each
 * change answers which pools count otherwise now.
 */
export class PinnedTally {
  readonly #membership = new Membership()
  /** Whether they are out of service. */
  readonly #away = new Map<string, boolean>()
  readonly #told = new Map<string, Told>()
  readonly #wanted = new Map<string, Wanted>()
  readonly #entries = new Map<string, Entry>()
  readonly #counts = new Map<string, Mutable<Counts>>()

  putNode(node: Readonly<Node>): Set<string> {
    const { name, labels } = node.metadata
    this.#membership.putNode(name, labels)
    this.#away.set(name, isUnavailable(factsOf(node)))
    return this.#place(name)
  }

  removeNode(name: string): Set<string> {
    this.#membership.removeNode(name)
    this.#away.delete(name)
    return this.#place(name)
  }

  tell(name: string, status: Readonly<MachineConfigNode>['status']): Set<string> {
    const told = toldIn(status)
    if (told) this.#told.set(name, told)
    else this.#told.delete(name)
    return this.#place(name)
  }

  putPool(pool: Readonly<MachineConfigPool>): Set<string> {
    this.#membership.putPool(pool)
    return this.#placeAll()
  }

  removePool(name: string): Set<string> {
    this.#membership.removePool(name)
    this.#wanted.delete(name)
    const changed = this.#placeAll()
    this.#counts.delete(name)
    return changed
  }

  want(pool: string, sets: readonly SetVersion[]): void {
    const wanted = wantedOf(sets)
    if (this.#wanted.get(pool)?.digest === wanted.digest) return
    this.#wanted.set(pool, wanted)
    for (const node of this.#membership.members(pool)) this.#place(node)
  }

  counts(pool: string): Counts {
    return { ...(this.#counts.get(pool) ?? none) }
  }

  #placeAll(): Set<string> {
    const changed = new Set<string>()
    for (const name of this.#away.keys()) for (const pool of this.#place(name)) changed.add(pool)
    return changed
  }

  #place(name: string): Set<string> {
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

  #entryOf(name: string): Entry | undefined {
    const isAway = this.#away.get(name)
    const { pool } = this.#membership.belonging(name)
    if (isAway === undefined || pool === undefined) return undefined
    const holding = judge(this.#wanted.get(pool) ?? nothing, this.#told.get(name))
    return { pool, holding, isAway }
  }

  #count({ pool, holding, isAway }: Entry, by: 1 | -1): void {
    const counts = this.#counts.get(pool) ?? { ...none }
    this.#counts.set(pool, counts)
    counts.machine += by
    if (isAway) counts.unavailable += by
    if (holding === 'failed') counts.failed += by
    if (holding === 'updated') counts.updated += by
    if (holding === 'updated' && !isAway) counts.ready += by
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

const nothing = wantedOf([])
const none: Counts = { machine: 0, updated: 0, ready: 0, unavailable: 0, failed: 0 }
